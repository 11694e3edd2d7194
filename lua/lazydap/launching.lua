--- Owns what is read out of the argument of `:LazydapLaunch` in the editor; the host decides what it names.

local buffers = require('lazydap.buffers')
local host = require('lazydap.host')

local M = {}

local MOST_SELECTED = 128 * 1024 -- bytes: no argument of a program is longer

---@class lazydap.LaunchWords
---@field args string      as typed
---@field program? string  the first word, expanded
---@field rest? string     what stands behind it
---@field forced boolean   a program, never the name of a configuration
---@field choose boolean

--- The first word, blanks in it kept by backslash or quotes.
---@param args string
---@return string word
---@return string rest
local function first_word(args)
  local quote = args:match('^["\']')
  local close = quote and args:find(quote, 2, true)
  if close then
    return args:sub(2, close - 1), vim.trim(args:sub(close + 1))
  end
  local at = 1
  while at <= #args and not args:sub(at, at):find('%s') do
    at = at + (args:sub(at, at + 1):find('^\\%s') and 2 or 1)
  end
  return (args:sub(1, at - 1):gsub('\\(%s)', '%1')), vim.trim(args:sub(at))
end

--- `%`, `#`, `~` and `$VAR` as on Neovim's own command lines; anything else stays as it is, wildcards too.
---@param word string
---@return string
local function expanded(word)
  if word:find('^[%%#~]') then
    local whole = vim.fn.expand(word)
    return whole ~= '' and whole or word
  end
  return (word:gsub('%$([%a_][%w_]*)', function(name)
    return vim.env[name]
  end))
end

--- Split the argument.
---@param args string
---@return lazydap.LaunchWords
function M.read(args)
  args = vim.trim(args)
  local is_dashed = args:find('^%-%-%s') ~= nil
  local command = is_dashed and vim.trim(args:sub(3)) or args
  local result = { args = args, forced = is_dashed or args:find('^%.?/') ~= nil, choose = args == '?' }
  if command ~= '' and not result.choose then
    local word, rest = first_word(command)
    result.program, result.rest = expanded(word), rest
  end
  return result
end

--- What was last selected in this buffer, for `${selectedText}`; more than a program can be given is nothing.
---@return string
local function selected()
  local first, last = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if first[2] == 0 or last[2] > vim.api.nvim_buf_line_count(0) then
    return ''
  end
  if vim.fn.line2byte(last[2] + 1) - vim.fn.line2byte(first[2]) > MOST_SELECTED then
    return ''
  end
  return table.concat(vim.fn.getregion(first, last, { type = vim.fn.visualmode() }), '\n')
end

---@return integer[] buffers of files that are not saved
local function unsaved()
  return vim.tbl_filter(function(buffer)
    return vim.bo[buffer].modified and buffers.path(buffer) ~= nil
  end, vim.api.nvim_list_bufs())
end

---@param changed integer[]
---@return boolean done
local function save(changed)
  for _, buffer in ipairs(changed) do
    local ok, fault = pcall(vim.api.nvim_buf_call, buffer, function()
      vim.cmd('silent write')
    end)
    if not ok then
      require('lazydap.say').say(tostring(fault):gsub('^.-(E%d+:)', '%1'), 'error')
      return false
    end
  end
  return true
end

--- See to changed files before a program is started: written at once with 'autowrite', as `:make` does, else asked
--- about.
---@param go_on fun(done: boolean) whether the program may be started
function M.save_first(go_on)
  local changed = unsaved()
  if #changed == 0 then
    go_on(true)
    return
  end
  if vim.o.autowrite or vim.o.autowriteall then
    go_on(save(changed))
    return
  end
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(changed[1]), ':t')
  local what = #changed == 1 and name or ('%s and %d more'):format(name, #changed - 1)
  local choices = { 'Save, then launch', 'Launch what is on disk' }
  require('lazydap.moment').when_free('choose', function()
    vim.ui.select(choices, { prompt = what .. ' not saved:' }, function(_, index)
      go_on(index == 2 or index == 1 and save(changed))
    end)
  end)
end

--- Send a command that may start a program, with all that only an editor knows.
---@param message table
function M.send(message)
  message.file = buffers.path(0) or ''
  message.filetype = vim.bo.filetype
  message.column = vim.fn.col('.')
  message.selected = selected()
  message.terminal = require('lazydap.config').get().terminal
  message.env = vim.fn.environ()
  host.send(message)
end

--- `:LazydapLaunch[!] …`
---@param options table as a user command gets them
function M.launch(options)
  local message = M.read(options.args) ---@type table
  message.verb = 'launch'
  message.bang = options.bang
  M.send(message)
end

--- Other plugins hand over functions where a value is to be worked out at the last moment.
---@param value any
---@return any
local function plain(value)
  if type(value) == 'function' then
    return plain(value())
  end
  return type(value) == 'table' and vim.tbl_map(plain, value) or value
end

--- Launch a configuration in the shape of launch.json's, as nvim-dap takes them.
---@param config table
function M.run(config)
  vim.validate({ config = { config, 'table' } })
  M.send({ verb = 'launch', config = plain(config) })
end

return M
