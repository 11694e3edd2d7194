--- Owns a buffer that shows lines of a tree: draws them, and has the keys that work on the line under the cursor.

local host = require('lazydap.host')
local say = require('lazydap.say')

local M = {}

---@class lazydap.Pane
---@field root string
---@field title string
---@field lines table[]   text, spans, key, expression, id
---@field note? string
---@field open? integer
---@field stale boolean

local namespace = vim.api.nvim_create_namespace('lazydap_tree')
local shown = {} ---@type table<integer, table[]> lines by buffer

---@param content lazydap.Pane
---@return table[]
local function lines_of(content)
  local lines = {}
  if content.note then
    lines[1] = { content.note, { { 0, #content.note, 'LazydapTreeNote' } }, '' }
  end
  return vim.list_extend(lines, content.lines or {})
end

--- How many lines at the start and at the end are the same in both.
---@param old table[]
---@param new table[]
---@return integer first
---@return integer last
local function same_ends(old, new)
  local first, last = 0, 0
  local most = math.min(#old, #new)
  while first < most and vim.deep_equal(old[first + 1], new[first + 1]) do
    first = first + 1
  end
  while last < most - first and vim.deep_equal(old[#old - last], new[#new - last]) do
    last = last + 1
  end
  return first, last
end

---@param buffer integer
---@param lines table[]
---@param first integer
---@param last integer
local function highlight(buffer, lines, first, last)
  for row = first, last - 1 do
    for _, span in ipairs(lines[row + 1][2]) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, row, span[1], {
        end_col = span[2],
        hl_group = span[3],
        strict = false,
      })
    end
  end
end

--- Show the content; only lines that differ are written, so that cursor and view stay.
---@param buffer integer
---@param content lazydap.Pane
function M.draw(buffer, content)
  local old, new = shown[buffer] or {}, lines_of(content)
  local first, last = same_ends(old, new)
  local texts = {}
  for index = first + 1, #new - last do
    texts[#texts + 1] = new[index][1]
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_clear_namespace(buffer, namespace, first, #old - last)
  -- An empty buffer has one line all the same.
  local from_end = #old == 0 and -1 or #old - last
  vim.api.nvim_buf_set_lines(buffer, first, from_end, false, texts)
  vim.bo[buffer].modifiable = false
  highlight(buffer, new, first, #new - last)
  shown[buffer] = new
end

---@param buffer integer
---@return table? line
local function under_cursor(buffer)
  local line = (shown[buffer] or {})[vim.api.nvim_win_get_cursor(0)[1]]
  return line and line[3] ~= '' and line or nil
end

--- What the line under the cursor is called where it can be evaluated; says so when it is not.
---@param buffer integer
---@return string?
local function expression_under_cursor(buffer)
  local line = under_cursor(buffer)
  local expression = line and line[4]
  if not expression then
    say.say('this line has no expression of its own', 'warn')
  end
  return expression
end

---@param text string
local function copy(text)
  vim.fn.setreg(vim.v.register, text)
  say.say('copied ' .. text)
end

--- The part of a line that is its value, by the groups it is drawn with.
---@param line table
---@return string?
local function value_of(line)
  for _, span in ipairs(line[2]) do
    if span[3] == 'LazydapTreeValue' or span[3] == 'LazydapValueChanged' then
      return line[1]:sub(span[1] + 1, span[2])
    end
  end
end

---@type table<string, {help: string, run: fun(buffer: integer, pane: string)}>
M.keys = {
  ['<CR>'] = {
    help = 'open or close',
    run = function(buffer, pane)
      local line = under_cursor(buffer)
      if line then
        host.send({ verb = 'unfold', pane = pane, key = line[3] })
      end
    end,
  },
  y = {
    help = 'copy as an expression',
    run = function(buffer)
      local expression = expression_under_cursor(buffer)
      if expression then
        copy(expression)
      end
    end,
  },
  Y = {
    help = 'copy the value',
    run = function(buffer)
      local line = under_cursor(buffer)
      local value = line and value_of(line)
      if value then
        copy(value)
      end
    end,
  },
  s = {
    help = 'set the value',
    run = function(buffer, pane)
      local line = under_cursor(buffer)
      local value = line and value_of(line)
      if not value then
        say.say('this line has no value to be set', 'warn')
        return
      end
      vim.ui.input({ prompt = 'New value: ', default = value }, function(answer)
        if answer and vim.trim(answer) ~= '' then
          host.send({ verb = 'set', pane = pane, key = line[3], value = vim.trim(answer) })
        end
      end)
    end,
  },
  w = {
    help = 'watch',
    run = function(buffer)
      local expression = expression_under_cursor(buffer)
      if expression then
        host.send({ verb = 'watch', expression = expression })
      end
    end,
  },
  dd = {
    help = 'no longer watch',
    run = function(buffer)
      local line = under_cursor(buffer)
      if line and line[5] then
        host.send({ verb = 'watch', remove = true, id = line[5] })
      else
        say.say('only a watch can be taken away', 'warn')
      end
    end,
  },
}
M.keys.o = M.keys['<CR>']
M.keys['<2-LeftMouse>'] = M.keys['<CR>']

--- Make a buffer for a tree.
---@param pane string the pane's name
---@return integer buffer
function M.create(pane)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].filetype = 'lazydap-' .. pane
  vim.bo[buffer].modifiable = false
  for key, entry in pairs(M.keys) do
    vim.keymap.set('n', key, function()
      entry.run(buffer, pane)
    end, { buffer = buffer, nowait = true, desc = 'lazydap: ' .. entry.help })
  end
  for _, key in ipairs({ 'i', 'I', 'A', 'o', 'O', 'c', 'C' }) do
    if not M.keys[key] then
      vim.keymap.set('n', key, function()
        require('lazydap.say').say('no text here: s sets a value, :LazydapConsole evaluates')
      end, { buffer = buffer, nowait = true, desc = 'lazydap: no text' })
    end
  end
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      shown[buffer] = nil
    end,
  })
  return buffer
end

return M
