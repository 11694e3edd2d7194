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

--- Ask for a value; it is shown in the floating window.
---@param expression string
---@param context 'hover'|'watch'
function M.ask(expression, context)
  if expression == '' then
    say.say('nothing to evaluate under the cursor: :LazydapEval EXPR', 'warn')
    return
  end
  float.await(expression)
  host.send({ verb = 'hover', expression = expression, context = context })
end

--- `:[range]LazydapEval [EXPR]`: a second time it goes into the window.
---@param options table as a user command gets it
function M.eval(options)
  local expression = expression_of(options)
  if not float.enter(expression) then
    M.ask(expression, 'watch')
  end
end

--- `:LazydapHover`: a second time it goes into the window.
function M.hover()
  if not float.enter() then
    M.ask(under_cursor(), 'hover')
  end
end

local OPENING, CLOSING = { ['('] = true, ['['] = true, ['{'] = true }, { [')'] = true, [']'] = true, ['}'] = true }

--- Split an assignment at the first `=` outside quotes and brackets that belongs to no other operator.
---@param text string
---@return string? expression nil when there is no such `=`
---@return string value
function M.split_assignment(text)
  local depth, quote, at = 0, nil, 1
  while at <= #text do
    local character = text:sub(at, at)
    if quote then
      at = at + (character == '\\' and 1 or 0)
      quote = character ~= quote and quote or nil
    elseif character == '"' or character == "'" then
      -- A quote that is never closed is a plain character.
      quote = text:find(character, at + 1, true) and character or nil
    elseif OPENING[character] then
      depth = depth + 1
    elseif CLOSING[character] then
      depth = depth - 1
    elseif character == '=' and depth == 0 then
      local is_operator = text:sub(at + 1, at + 1):find('[=>]') or text:sub(at - 1, at - 1):find('[=!<>:+*/%%&|^~-]')
      if not is_operator then
        return vim.trim(text:sub(1, at - 1)), vim.trim(text:sub(at + 1))
      end
    end
    at = at + 1
  end
  return nil, ''
end

--- `:LazydapSet EXPR = VALUE`
---@param options table as a user command gets it
function M.set(options)
  local expression, value = M.split_assignment(options.args)
  if not expression or expression == '' or value == '' then
    say.say('what shall be set? :LazydapSet EXPR = VALUE', 'warn')
    return
  end
  host.send({ verb = 'set', expression = expression, value = value })
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
