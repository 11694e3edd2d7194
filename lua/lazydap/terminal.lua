--- Owns the window with the program's own terminal: `lazydap terminal` runs in it, and keys go to the program.

local M = {}

local HEIGHT = 12
-- Found beside the plugin in a checkout, else where the interpreter has it.
local COMMAND = [[import sys
sys.path[:0] = sys.argv[1:3]
sys.argv[1:] = ['terminal']
from lazydap_cli.main import console_main
console_main()]]

local shown = {} ---@type table<string, integer> session to buffer

--- The project whose program has a terminal; one whose program lives comes first.
---@return table?
local function with_terminal()
  local found ---@type table?
  for _, project in ipairs(require('lazydap.state').get().projects) do
    if project.terminal and (not found or require('lazydap.state').is_live(project.state)) then
      found = project
    end
  end
  return found
end

---@param project table
---@return integer? buffer
---@return string? failure
local function start(project)
  local host = require('lazydap.host')
  local interpreter = host.interpreter()
  if not interpreter.path then
    return nil, interpreter.advice
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'hide'
  local command = { interpreter.path, '-E', '-c', COMMAND, host.root(), host.root() .. '/daemon', 'terminal' }
  local job = 0
  vim.api.nvim_buf_call(buffer, function()
    if vim.fn.has('nvim-0.11') == 1 then
      job = vim.fn.jobstart(command, { term = true, cwd = project.root })
    else
      job = vim.fn.termopen(command, { cwd = project.root })
    end
  end)
  if job <= 0 then
    vim.api.nvim_buf_delete(buffer, { force = true })
    return nil, interpreter.path .. ' cannot be run'
  end
  vim.bo[buffer].filetype = 'lazydap-terminal'
  shown[project.session_id] = buffer
  return buffer
end

--- Show the terminal of the program that has one; a window that shows it already is used.
---@return boolean is_there
function M.open()
  local project = with_terminal()
  if not project then
    return false
  end
  local buffer = shown[project.session_id]
  if buffer and vim.api.nvim_buf_is_valid(buffer) and vim.fn.bufwinid(buffer) ~= -1 then
    return true
  end
  local window = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
    split = 'below',
    win = -1,
    height = math.min(HEIGHT, math.floor(vim.o.lines / 2)),
  })
  local scratch = vim.api.nvim_win_get_buf(window)
  vim.wo[window].winfixheight = true
  local failure ---@type string?
  if not (buffer and vim.api.nvim_buf_is_valid(buffer)) then
    -- In its window, so that the program is told that window's size.
    vim.api.nvim_win_call(window, function()
      buffer, failure = start(project)
    end)
  end
  if not buffer then
    vim.api.nvim_win_close(window, true)
    require('lazydap.say').say(failure or 'the terminal cannot be shown', 'error')
    return true
  end
  vim.api.nvim_win_set_buf(window, buffer)
  vim.api.nvim_buf_delete(scratch, { force = true })
  return true
end

--- Open the terminal's window, or close it.
---@return boolean is_there false where no program has a terminal
function M.toggle()
  local project = with_terminal()
  local buffer = project and shown[project.session_id]
  local window = buffer and vim.api.nvim_buf_is_valid(buffer) and vim.fn.bufwinid(buffer) or -1
  if window ~= -1 then
    vim.api.nvim_win_close(window, true)
    return true
  end
  return M.open()
end

return M
