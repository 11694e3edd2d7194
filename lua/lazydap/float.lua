--- Owns the floating window with one value: opens it by the cursor, closes it when the person goes on.

local host = require('lazydap.host')
local moment = require('lazydap.moment')
local say = require('lazydap.say')
local tree = require('lazydap.tree')

local M = {}

local WIDEST, HIGHEST = 100, 20

---@class lazydap.Asked
---@field expression string
---@field window integer where the person was then
---@field buffer integer
---@field row integer

local window ---@type integer?
local buffer ---@type integer?
local opened ---@type any token of the last opening
local asked ---@type lazydap.Asked? the last question
local shown ---@type string? the expression whose value the window shows
local group = vim.api.nvim_create_augroup('lazydap_float', {})

---@return boolean
local function is_open()
  return window ~= nil and vim.api.nvim_win_is_valid(window)
end

--- Close the window, if it is open.
function M.close()
  vim.api.nvim_clear_autocmds({ group = group })
  if is_open() then
    pcall(vim.api.nvim_win_close, window, true)
    host.tell({ verb = 'pane', name = 'float', shown = false })
  end
  window = nil
end

--- Remember where the answer belongs.
---@param expression string
function M.await(expression)
  asked = {
    expression = expression,
    window = vim.api.nvim_get_current_win(),
    buffer = vim.api.nvim_get_current_buf(),
    row = vim.api.nvim_win_get_cursor(0)[1],
  }
end

--- Go into the window.
---@param expression? string only if it shows the value of this one
---@return boolean done false when there is none
function M.enter(expression)
  if not is_open() or vim.api.nvim_get_current_win() == window or expression and expression ~= shown then
    return false
  end
  vim.api.nvim_set_current_win(window)
  return true
end

---@return boolean
local function is_still_wanted()
  return asked ~= nil
    and moment.is_free()
    and vim.api.nvim_get_current_win() == asked.window
    and vim.api.nvim_get_current_buf() == asked.buffer
    and vim.api.nvim_win_get_cursor(0)[1] == asked.row
end

---@return integer width
---@return integer height
local function size()
  local widest = 1
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    -- Longer lines are wrapped: there is no need to know by how much.
    widest = math.max(widest, #line > WIDEST * 4 and WIDEST or vim.fn.strdisplaywidth(line))
  end
  local width = math.max(math.min(widest, WIDEST, vim.o.columns - 4), 10)
  local height = 0
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, HIGHEST, false)) do
    height = height + math.max(math.ceil(vim.fn.strdisplaywidth(line) / width), 1)
  end
  return width, math.max(math.min(height, HIGHEST, vim.o.lines - 4), 1)
end

local function watch()
  vim.api.nvim_clear_autocmds({ group = group })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'InsertEnter', 'BufEnter', 'WinEnter', 'TabEnter' }, {
    group = group,
    callback = vim.schedule_wrap(function()
      if is_open() and vim.api.nvim_get_current_win() ~= window then
        M.close()
      end
    end),
  })
end

local function show()
  local width, height = size()
  window = vim.api.nvim_open_win(buffer, false, {
    relative = 'cursor',
    row = 1,
    col = 0,
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    noautocmd = true,
  })
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  vim.wo[window].breakindent = true
  vim.wo[window].cursorline = true
  vim.wo[window].conceallevel = 0
  -- Not at once: the move that led here may not have been told yet.
  vim.schedule(watch)
end

---@param content lazydap.Pane
local function open(content)
  if not is_still_wanted() then
    -- The person has gone on: a window would be in the way, a line is not.
    local first = content.lines[1]
    say.say(first and vim.trim(first[1]:gsub('^[▸▾ ]+', '')) or content.title)
    host.tell({ verb = 'pane', name = 'float', shown = false })
    return
  end
  M.close()
  if not buffer or not vim.api.nvim_buf_is_valid(buffer) then
    buffer = tree.create('float')
    for _, key in ipairs({ 'q', '<Esc>' }) do
      vim.keymap.set('n', key, M.close, { buffer = buffer, nowait = true, desc = 'lazydap: close' })
    end
  end
  tree.draw(buffer, content)
  shown = asked and asked.expression
  show()
end

--- Bring the window in line with the state.
---@param content? lazydap.Pane nil when there is nothing to show any more
function M.update(content)
  if not content then
    M.close()
    return
  end
  if content.open ~= opened then
    opened = content.open
    open(content)
  elseif is_open() then
    tree.draw(buffer, content)
    local width, height = size()
    vim.api.nvim_win_set_config(window, { width = width, height = height })
  end
end

--- The host is gone, and with it what the value belongs to.
function M.lose_host()
  M.close()
  opened = nil
end

return M
