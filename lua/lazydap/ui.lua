--- Owns the usual set of panes: opened and closed together, by hand or with the program.

local moment = require('lazydap.moment')
local panes = require('lazydap.panes')
local state = require('lazydap.state')
local terminal = require('lazydap.terminal')

local M = {}

local SET = { 'variables', 'output', 'terminal' }

local group ---@type integer?
local opened_in ---@type integer? the tab page in which the set was opened for a program

---@return boolean
local function is_shown()
  for _, name in ipairs(SET) do
    if panes.window(name) then
      return true
    end
  end
  return false
end

local function open()
  panes.open('variables')
  if not terminal.open() then
    panes.open('output')
  end
end

local function close()
  for _, name in ipairs(SET) do
    panes.close(name)
  end
end

--- `:LazydapUI`
function M.toggle()
  opened_in = nil
  if is_shown() then
    close()
  else
    open()
  end
end

local function on_start()
  -- Only the editor that the program moves along with: another one has other work to do.
  if state.get().follow == false then
    return
  end
  moment.when_free('panes', function()
    if #state.live() > 0 and not is_shown() then
      open()
      opened_in = vim.api.nvim_get_current_tabpage()
    end
  end)
end

local function on_end()
  moment.forget('panes')
  local tab = opened_in
  opened_in = nil
  if not tab or #state.live() > 0 or not vim.api.nvim_tabpage_is_valid(tab) then
    return
  end
  vim.api.nvim_win_call(vim.api.nvim_tabpage_get_win(tab), close)
end

--- What a program writes to its terminal is no output: that is known a moment after its start.
local function prefer_terminal()
  local is_ours = opened_in == vim.api.nvim_get_current_tabpage() and panes.window('output')
  if is_ours and #state.live() > 0 and terminal.is_there() then
    moment.when_free('terminal', function()
      if terminal.open() then
        panes.close('output')
      end
    end)
  end
end

--- Open the set when a program starts and close it at its end, from now on.
function M.watch()
  if group then
    prefer_terminal()
    return
  end
  group = vim.api.nvim_create_augroup('lazydap_ui', {})
  local function on(event, action)
    vim.api.nvim_create_autocmd('User', { group = group, pattern = event, callback = vim.schedule_wrap(action) })
  end
  on('LazydapSessionStarted', on_start)
  on('LazydapSessionEnded', on_end)
end

return M
