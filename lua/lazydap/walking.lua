--- Owns going from breakpoint to breakpoint, through all files of the project.

local buffers = require('lazydap.buffers')
local say = require('lazydap.say')
local state = require('lazydap.state')

local M = {}

---@return {path: string, line: integer}[] in order
local function places()
  local found = {}
  for _, breakpoint in ipairs(state.get().breakpoints) do
    local buffer = buffers.of_path(breakpoint.path)
    if not buffer then
      found[#found + 1] = { path = breakpoint.path, line = breakpoint.asked_line or breakpoint.line }
    end
  end
  for _, entry in ipairs(buffers.loaded()) do
    for _, standing in ipairs(require('lazydap.breakpoints').standing(entry.buffer)) do
      found[#found + 1] = { path = entry.path, line = standing.row + 1 }
    end
  end
  table.sort(found, function(a, b)
    return a.path < b.path or a.path == b.path and a.line < b.line
  end)
  return found
end

---@param a {path: string, line: integer}
---@param b {path: string, line: integer}
---@return boolean
local function is_before(a, b)
  return a.path < b.path or a.path == b.path and a.line < b.line
end

---@param target {path: string, line: integer}
local function go(target)
  vim.cmd("normal! m'")
  if buffers.path(0) ~= target.path then
    local ok, fault = pcall(vim.cmd.edit, vim.fn.fnameescape(target.path))
    if not ok then
      say.say(tostring(fault):gsub('^.-(E%d+:)', '%1'), 'error')
      return
    end
  end
  vim.api.nvim_win_set_cursor(0, { math.min(target.line, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd('normal! ^zv')
end

--- Go to the next breakpoint, or the one before; behind the last comes the first.
---@param options table `count`, and `back`
function M.breakpoint(options)
  local all = places()
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
