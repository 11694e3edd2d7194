--- Owns the question whether the person at the keys can be interrupted now, and what waits until they can.

local M = {}

local waiting = {} ---@type table<string, fun()>
local group ---@type integer?

--- Whether cursor and windows may move: plain normal mode, in a window that is no float, terminal or command window.
---@return boolean
function M.is_free()
  local mode = vim.api.nvim_get_mode()
  if mode.mode ~= 'n' or mode.blocking or vim.fn.getcmdwintype() ~= '' then
    return false
  end
  local is_float = vim.api.nvim_win_get_config(0).relative ~= ''
  return not is_float and vim.bo.buftype ~= 'terminal'
end

local function run_waiting()
  if not M.is_free() then
    return
  end
  vim.api.nvim_clear_autocmds({ group = group })
  local due = waiting
  waiting = {}
  for _, action in pairs(due) do
    action()
  end
end

local function watch()
  group = group or vim.api.nvim_create_augroup('lazydap_moment', {})
  vim.api.nvim_clear_autocmds({ group = group })
  -- Scheduled: inside the event the old mode or window is still being left.
  vim.api.nvim_create_autocmd({ 'ModeChanged', 'WinEnter', 'BufEnter', 'CmdwinLeave' }, {
    group = group,
    callback = vim.schedule_wrap(run_waiting),
  })
end

--- Do `action` now if the person is free, else on return to normal mode. A later action of the same name takes the
--- place of one that still waits.
---@param name string
---@param action fun()
---@return 'done'|'deferred'|'replaced' outcome
function M.when_free(name, action)
  if M.is_free() then
    waiting[name] = nil
    action()
    return 'done'
  end
  local outcome = waiting[name] and 'replaced' or 'deferred'
  waiting[name] = action
  watch()
  return outcome
end

--- Forget the action of that name, if it still waits.
---@param name string
function M.forget(name)
  waiting[name] = nil
end

return M
