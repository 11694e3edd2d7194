--- Owns the one line at the bottom of the screen: nothing else in the plugin prints.

local text = require('lazydap.text')

local M = {}

local TOGETHER = 200 -- milliseconds within which a redraw between two lines is not certain
local GROUPS = { info = 'None', warn = 'WarningMsg', error = 'ErrorMsg' }

local last ---@type {line: string, at: integer}? what was said last, and when

--- The cells that a message has without a question: those of the last row, and all of the rows above it.
---@return integer
local function room()
  return math.max(vim.v.echospace, 20) + math.max(vim.o.cmdheight - 1, 0) * vim.o.columns
end

--- Say on the screen what is whole in the history already.
---@param line string wider than the screen
---@param group string
local function shorten(line, group)
  vim.cmd.redraw()
  vim.api.nvim_echo({ { text.cut_message(line, room()), group } }, false, {})
end

---@param line string
---@param level string
local function echo(line, level)
  local group = GROUPS[level] or 'None'
  local now = vim.uv.now()
  if last and now - last.at < TOGETHER then
    -- Two lines without a redraw between them do not fit: the second would end in a hit-enter prompt.
    vim.cmd.redraw()
  end
  last = { line = line, at = now }
  if vim.o.cmdheight == 0 then
    -- Here Neovim asks for a key even for what it cuts itself.
    vim.api.nvim_echo({ { text.cut_message(line, room()), group } }, true, {})
    return
  end
  local mode = vim.api.nvim_get_mode().mode
  local is_covered = vim.o.showmode and mode:find('^[iRvVsS\22\19]') ~= nil
  local shortmess = vim.o.shortmess
  -- A message wider than the screen means a hit-enter prompt, and while that stands Neovim answers nobody. With "T" it
  -- is cut on the screen, and whole in the history.
  vim.cmd('noautocmd set shortmess+=T')
  if is_covered then
    vim.cmd('noautocmd set noshowmode')
  end
  vim.cmd.echohl(group)
  vim.cmd.echomsg(vim.fn.string(line))
  vim.cmd.echohl('None')
  if vim.fn.strdisplaywidth(line) > room() then
    shorten(line, group)
  end
  if is_covered then
    -- Neovim writes the name of the mode over a message at the next redraw, unless that redraw is over already.
    vim.cmd.redraw()
    vim.cmd('noautocmd set showmode')
  end
  vim.cmd('noautocmd set shortmess=' .. shortmess)
end

---@param line string
---@param level string
local function echo_when_started(line, level)
  if vim.v.vim_did_enter == 1 then
    echo(line, level)
    return
  end
  vim.api.nvim_create_autocmd('VimEnter', {
    once = true,
    callback = vim.schedule_wrap(function()
      echo(line, level)
    end),
  })
end

--- Take what was said last off the screen, unless something else has taken its place.
local function wipe()
  local shown = vim.split(vim.fn.execute('1messages'), '\n', { trimempty = true })
  if shown[#shown] == last.line and vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'c' then
    vim.api.nvim_echo({ { '' } }, false, {})
  end
end

--- Take a line off the screen that is no longer true.
---@param part string what that line contains
function M.take_back(part)
  if last and last.line:find(part, 1, true) then
    wipe()
    last = nil
  end
end

--- Take off the screen what was said of an earlier command: beside the outcome of this one it would be read as its own.
function M.begin()
  -- While text is inserted the name of the mode stands there.
  if last and last.line ~= '' and vim.api.nvim_get_mode().mode == 'n' then
    wipe()
    last = { line = '', at = last.at }
  end
end

---@param line string
---@return string
local function named(line)
  line = text.one_line(line)
  return vim.startswith(line, 'lazydap') and line or 'lazydap: ' .. line
end

--- Say a line of a long command while it works: nothing that is scheduled would be seen before its end.
---@param line string
---@param level? 'info'|'warn'|'error'
function M.meanwhile(line, level)
  echo(named(line), level or 'info')
  vim.cmd.redraw()
end

--- Say one line; it is cut to the screen, and stands whole in `:messages`. While a command line is being typed it waits
--- for its end.
---@param line string
---@param level? 'info'|'warn'|'error'
function M.say(line, level)
  vim.validate({ line = { line, 'string' }, level = { level, 'string', true } })
  line = named(line)
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'c' then
    -- Not within the command that gave rise to it: a typed command still stands on the last line then, and what does
    -- not fit behind it ends in a hit-enter prompt.
    vim.schedule(function()
      echo_when_started(line, level or 'info')
    end)
    return
  end
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    once = true,
    callback = vim.schedule_wrap(function()
      echo(line, level or 'info')
    end),
  })
end

return M
