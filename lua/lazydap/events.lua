--- Owns the User autocommands: what differs between two states of the same project becomes an event.

local state = require('lazydap.state')

local M = {}

local seen = {} ---@type table<string, {session_id?: string, is_live: boolean, stop?: string}> by root
local breakpoints ---@type table[]?

---@param name string
---@param data table
local function fire(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, data = data, modeline = false })
end

---@param root string
---@return lazydap.Place?
local function stop_of(root)
  for _, stop in ipairs(state.get().stops) do
    if stop.root == root then
      return stop
    end
  end
end

---@param project table
---@return table
local function session_data(project)
  return {
    root = project.root,
    session_id = project.session_id,
    program = project.program,
    adapter = project.adapter,
    state = project.state,
    exit_code = project.exit_code,
  }
end

---@param project table
local function compare(project)
  local old = seen[project.root] or { is_live = false }
  local is_live = state.is_live(project.state)
  local is_other = project.session_id ~= nil and project.session_id ~= old.session_id
  if old.is_live and (not is_live or is_other) then
    local ended = session_data(project)
    ended.session_id = old.session_id
    fire('LazydapSessionEnded', ended)
  end
  if is_live and (not old.is_live or is_other) then
    fire('LazydapSessionStarted', session_data(project))
  end
  local place = is_live and stop_of(project.root) or nil
  local stop = place and ('%s %s %s:%d'):format(project.session_id, place.stop, place.path, place.line or 0) or nil
  if stop and stop ~= old.stop then
    fire('LazydapStopped', vim.tbl_extend('force', session_data(project), place))
  elseif not stop and old.stop and is_live then
    fire('LazydapContinued', session_data(project))
  end
  seen[project.root] = { session_id = project.session_id, is_live = is_live, stop = stop }
end

--- Fire what has happened since the last state.
---@param changed table<string, true> the sections that were sent
function M.update(changed)
  if changed.projects or changed.stops then
    local here = {} ---@type table<string, true>
    for _, project in ipairs(state.get().projects) do
      here[project.root] = true
      compare(project)
    end
    for root, old in pairs(seen) do
      if old.is_live and not here[root] then
        compare({ root = root, state = 'none', session_id = old.session_id })
      end
    end
  end
  if changed.breakpoints then
    local now = state.get().breakpoints
    if breakpoints and not vim.deep_equal(now, breakpoints) then
      fire('LazydapBreakpointsChanged', { breakpoints = vim.deepcopy(now) })
    end
    breakpoints = now
  end
end

return M
