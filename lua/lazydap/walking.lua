--- Owns going from breakpoint to breakpoint, through all files of the project.

local buffers = require('lazydap.buffers')
local cursor = require('lazydap.cursor')
local say = require('lazydap.say')
local state = require('lazydap.state')

local M = {}

---@alias lazydap.walking.Target {path: string, line: integer}

---@param a lazydap.walking.Target
---@param b lazydap.walking.Target
---@return boolean
local function is_before(a, b)
  return a.path < b.path or a.path == b.path and a.line < b.line
end

---@return table<string, lazydap.walking.Target[]> by root, in order
local function places()
  local found = {} ---@type table<string, lazydap.walking.Target[]>
  local function add(root, target)
    found[root] = found[root] or {}
    table.insert(found[root], target)
  end
  for _, breakpoint in ipairs(state.get().breakpoints) do
    if not buffers.of_path(breakpoint.path) then
      add(breakpoint.root, { path = breakpoint.path, line = breakpoint.asked_line or breakpoint.line })
    end
  end
  for _, entry in ipairs(buffers.loaded()) do
    for _, standing in ipairs(require('lazydap.breakpoints').standing(entry.buffer)) do
      add(standing.breakpoint.root, { path = entry.path, line = standing.row + 1 })
    end
  end
  for _, targets in pairs(found) do
    table.sort(targets, is_before)
  end
  return found
end

--- The breakpoints of one project: the one that has some in this file, else the file's own, else the one that a command
--- given here is for, else the directory's, else the only one that has any.
---@return lazydap.walking.Target[]
local function of_project_here()
  local path = buffers.path(0)
  local by_root = places()
  local here = path and state.of_path('breakpoints', path)[1]
  local near = {
    here or {},
    state.project_of(path) or {},
    state.commanded(path) or {},
    state.project_of(buffers.real_path(vim.fn.getcwd()) .. '/') or {},
  }
  for _, one in ipairs(near) do
    if by_root[one.root] then
      return by_root[one.root]
    end
  end
  local root, only = next(by_root)
  return root and next(by_root, root) == nil and only or {}
end

---@param target lazydap.walking.Target
local function go(target)
  vim.cmd("normal! m'")
  local fault = cursor.show(target.path, true)
  if fault then
    say.say(fault, 'error')
    return
  end
  vim.api.nvim_win_set_cursor(0, { math.min(target.line, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd('normal! ^zv')
end

--- Go to the next breakpoint, or the one before; behind the last comes the first.
---@param options table `count`, and `back`
function M.breakpoint(options)
  local all = of_project_here()
  if #all == 0 then
    say.say('no breakpoints are known here: :LazydapBreak puts one')
    return
  end
  local here = { path = buffers.path(0) or '', line = vim.api.nvim_win_get_cursor(0)[1] }
  local count = math.max(options.count or 1, 1)
  local index ---@type integer
  if options.back then
    index = #all
    while index > 0 and not is_before(all[index], here) do
      index = index - 1
    end
    index = (index - count) % #all + 1
  else
    index = 1
    while index <= #all and not is_before(here, all[index]) do
      index = index + 1
    end
    index = (index - 1 + count - 1) % #all + 1
  end
  go(all[index])
end

return M
