--- Owns which expression a person means: what they typed, selected, or have under the cursor.

local float = require('lazydap.float')
local host = require('lazydap.host')
local say = require('lazydap.say')

local M = {}

--- The name under the cursor with what it is a part of: in `a.b.c` with the cursor on `b` this is `a.b`.
---@param line string
---@param column integer byte under the cursor, counted from 0
---@return string empty when there is no name
function M.name_at(line, column)
  local name = '[%w_\128-\255]'
  local first, last = column + 1, column
  if not line:sub(first, first):find(name) then
    return ''
  end
  while line:sub(last + 1, last + 1):find(name) do
    last = last + 1
  end
  while first > 1 and line:sub(first - 1, first - 1):find(name) do
    first = first - 1
  end
  local owner = line:sub(1, first - 1):match('[%w_\128-\255%.%->:]*$')
  -- Only whole links of the chain: `x - y` and `{ a: b }` are none.
  local chain = ''
  while owner ~= '' do
    local rest, link, joint = owner:match('^(.-)([%w_\128-\255]+)(%.)$')
    if not link then
      rest, link, joint = owner:match('^(.-)([%w_\128-\255]+)(%->)$')
    end
    if not link then
      rest, link, joint = owner:match('^(.-)([%w_\128-\255]+)(::)$')
    end
    if not link then
      break
    end
    chain = link .. joint .. chain
    owner = rest
  end
  return chain .. line:sub(first, last)
end

---@return string
local function under_cursor()
  local column = vim.api.nvim_win_get_cursor(0)[2]
  return M.name_at(vim.api.nvim_get_current_line(), column)
end

--- The text of a range; of the lines of the last selection, what was selected in them.
---@param options table as a user command gets it
---@return string
local function text_of_range(options)
  local first, last = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  local lines
  if first[2] == options.line1 and last[2] == options.line2 then
    lines = vim.fn.getregion(first, last, { type = vim.fn.visualmode() })
  else
    lines = vim.api.nvim_buf_get_lines(0, options.line1 - 1, options.line2, false)
  end
  return vim.trim(table.concat(lines, '\n'))
end

---@param options table as a user command gets it
---@return string
local function expression_of(options)
  if vim.trim(options.args) ~= '' then
    return vim.trim(options.args)
  end
  return options.range > 0 and text_of_range(options) or under_cursor()
end

---@param expression string
---@param context 'hover'|'watch'
local function ask(expression, context)
  if expression == '' then
    say.say('nothing to evaluate under the cursor: :LazydapEval EXPR', 'warn')
    return
  end
  float.await()
  host.send({ verb = 'hover', expression = expression, context = context })
end

--- `:[range]LazydapEval [EXPR]`
---@param options table as a user command gets it
function M.eval(options)
  ask(expression_of(options), 'watch')
end

--- `:LazydapHover`: a second time it goes into the window.
function M.hover()
  if not float.enter() then
    ask(under_cursor(), 'hover')
  end
end

--- `:LazydapWatch[!] [EXPR]`
---@param options table as a user command gets it
function M.watch(options)
  local expression = expression_of(options)
  if expression == '' and not options.bang then
    say.say('which expression? :LazydapWatch EXPR', 'warn')
    return
  end
  -- Bare with a bang all of them are meant, whatever the cursor is on.
  local is_all = options.bang and vim.trim(options.args) == '' and options.range == 0
  host.send({ verb = 'watch', expression = is_all and '' or expression, remove = options.bang == true })
end

return M
