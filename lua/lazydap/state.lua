--- Owns the state the host has last sent; draws nothing and asks nobody.
---
--- A batch holds whole sections; one that is left out has not changed (doc/architecture.md, "Host and editor").

local M = {}

---@class lazydap.Breakpoint
---@field id integer
---@field root string
---@field path string
---@field line integer        where it is shown
---@field asked_line? integer where it was put
---@field kind 'line'|'condition'|'log'
---@field state 'idle'|'verified'|'pending'|'moved'|'rejected'|'disabled'
---@field enabled boolean     its own state, whatever all of them are
---@field text? string        the adapter's words
---@field condition? string
---@field hit_condition? string
---@field log_message? string
---@field anchor? string      the text by which its line is found again

---@class lazydap.Place
---@field root string
---@field path? string
---@field line integer
---@field thread_id? integer
---@field reason? string
---@field text? string
---@field name? string
---@field stop? integer
---@field inner? string       top frame without a source; this place is its nearest caller with one

---@class lazydap.Text
---@field path string        begins with `lazydap://source/`
---@field text string
---@field mime_type? string
---@field filetype? string

---@class lazydap.State
---@field generation integer
---@field connected boolean
---@field follow boolean
---@field projects table[]
---@field breakpoints lazydap.Breakpoint[]
---@field stops lazydap.Place[]
---@field frames lazydap.Place[]
---@field values table[]
---@field texts lazydap.Text[]
---@field lists table<string, table>
---@field panes table<string, lazydap.Pane>
---@field jump? table

---@return lazydap.State
local function empty()
  return {
    generation = 0,
    connected = false,
    follow = true,
    projects = {},
    breakpoints = {},
    stops = {},
    frames = {},
    values = {},
    texts = {},
    lists = {},
    panes = {},
  }
end

local LIVE = { initialising = true, running = true, paused = true }

local current = empty()
local by_path = {} ---@type table<string, table<string, table[]>> section to path to entries

---@return lazydap.State
function M.get()
  return current
end

---@param section string
local function index(section)
  local paths = {} ---@type table<string, table[]>
  for _, entry in ipairs(current[section]) do
    local path = entry.path
    if path then
      paths[path] = paths[path] or {}
      table.insert(paths[path], entry)
    end
  end
  by_path[section] = paths
end

--- Take a batch's sections over.
---@param batch table
---@return table<string, true> changed the sections it named
function M.take(batch)
  local changed = {}
  for section, content in pairs(batch) do
    if section == 'lists' then
      current.lists = vim.tbl_extend('force', current.lists, content)
    else
      current[section] = content
    end
    changed[section] = true
    if section == 'breakpoints' or section == 'stops' or section == 'frames' or section == 'values' then
      index(section)
    end
  end
  return changed
end

--- The host is gone: breakpoints stay as a list of places, what only a session can know goes.
function M.lose_host()
  local breakpoints = current.breakpoints
  for _, breakpoint in ipairs(breakpoints) do
    breakpoint.state = breakpoint.state == 'disabled' and 'disabled' or 'idle'
    breakpoint.line = breakpoint.asked_line or breakpoint.line
    breakpoint.text = nil
    breakpoint.message = nil
  end
  current = empty()
  by_path = {}
  M.take({ breakpoints = breakpoints })
end

--- The entries of a section that belong to a file.
---@param section 'breakpoints'|'stops'|'frames'|'values'
---@param path string real path
---@return table[]
function M.of_path(section, path)
  return (by_path[section] or {})[path] or {}
end

--- The project with that root.
---@param root string
---@return table?
function M.of_root(root)
  for _, project in ipairs(current.projects) do
    if project.root == root then
      return project
    end
  end
end

--- The projects whose program lives.
---@return table[]
function M.live()
  return vim.tbl_filter(function(project)
    return LIVE[project.state] == true
  end, current.projects)
end

---@param state? string word of a project's state
---@return boolean
function M.is_live(state)
  return LIVE[state] == true
end

--- The project that a command given in a window with that file is for: whose stop it shows, else the one last commanded
--- or stopped, else any that lives; so a library stepped into belongs to the program. With nothing live the file's own.
---@param path? string real path
---@return table?
function M.commanded(path)
  local live = M.live()
  if #live < 2 then
    return live[1] or M.project_of(path)
  end
  for _, stop in ipairs(path and M.of_path('stops', path) or {}) do
    return M.of_root(stop.root)
  end
  local own = M.project_of(path)
  for _, project in ipairs(live) do
    if project.last then
      return project
    end
  end
  return own and LIVE[own.state] and own or live[#live]
end

--- The project whose root holds the file most closely, else the only live one, else none.
---@param path? string real path
---@return table?
function M.project_of(path)
  local best
  for _, project in ipairs(path and current.projects or {}) do
    local inside = project.root and vim.startswith(path, project.root .. '/')
    if inside and (not best or #project.root > #best.root) then
      best = project
    end
  end
  if best then
    return best
  end
  local live = M.live()
  return #live == 1 and live[1] or nil
end

return M
