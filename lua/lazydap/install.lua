--- Owns the private Python environment: what must be in it, whether it still is, and how it is made.
---
--- It holds dependencies only; the code always runs from the plugin's own folder. Shared by build.lua and
--- `:LazydapInstall`.

local host = require('lazydap.host')
local packages = require('lazydap.packages')

local M = {}

--- Where the environment is.
---@return string
function M.folder()
  return vim.fn.stdpath('data') .. '/lazydap/venv'
end

--- Whether an interpreter is the environment's.
---@param python? string
---@return boolean
function M.is_ours(python)
  return vim.startswith(python or '', M.folder() .. '/')
end

-- Its first line says which packages are there, the second which extras a person asked for.
local function stamp_path()
  return M.folder() .. '/lazydap-stamp'
end

---@param path string
---@return string? content
local function content_of(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local content = file:read('*a')
  file:close()
  return content
end

---@return string? packages
---@return string[] extras
local function read_stamp()
  local lines = vim.split(content_of(stamp_path()) or '', '\n')
  return lines[1], vim.split(lines[2] or '', ' ', { trimempty = true })
end

--- What pip is asked for, as pyproject.toml says it.
---@param extras string[]
---@return string[] requirements none where there is no pyproject.toml: an installed wheel brings its own
---@return string? fault one line when there is no such extra
local function requirements(extras)
  local text = content_of(host.root() .. '/pyproject.toml') or ''
  local optional = text:match('\n%[project%.optional%-dependencies%]\n(.-)\n\n') or ''
  local lists = { text:match('\ndependencies = %[(.-)%]') }
  for _, extra in ipairs(extras) do
    local list = ('\n' .. optional):match('\n' .. vim.pesc(extra) .. ' = %[(.-)%]')
    if not list then
      return {}, ('there is no extra %s: lldb is one'):format(extra)
    end
    lists[#lists + 1] = list
  end
  local found = {}
  for requirement in table.concat(lists, ' '):gmatch('"([^"]+)"') do
    found[#found + 1] = requirement
  end
  return found
end

local function pins_path()
  return host.root() .. '/constraints.txt'
end

---@param wanted string[] requirements
---@return string
local function digest(wanted)
  return vim.fn.sha256(table.concat(wanted, '\n') .. '\n' .. (content_of(pins_path()) or ''))
end

--- Whether the environment is there and holds what this version of the plugin wants.
---@return boolean
function M.is_current()
  local packages, extras = read_stamp()
  return vim.fn.executable(M.folder() .. '/bin/python') == 1 and packages == digest((requirements(extras)))
end

--- The modules that a host imports: what the plugin asks for besides extras, under the names it has in Python.
---@return string[]
function M.modules()
  return vim.tbl_map(function(requirement)
    return (requirement:match('^[%w_%-]+'):gsub('-', '_'))
  end, (requirements({})))
end

--- Put the new environment in the place of the old one, which hosts may still run from: they keep what they have open.
---@param new string
---@return string? fault
local function put_in_place(new)
  local folder = M.folder()
  local old = folder .. '.old'
  vim.fn.delete(old, 'rf')
  vim.uv.fs_rename(folder, old)
  local ok, fault = vim.uv.fs_rename(new, folder)
  if not ok then
    vim.uv.fs_rename(old, folder)
    return ('the environment cannot be put in place: %s'):format(fault)
  end
  vim.fn.delete(old, 'rf')
end

--- Make the environment, or bring it up to date; returns when that is done. Extras once asked for are kept, and where
--- anything fails so is the environment that was there.
---@param tell fun(line: string) called before each step
---@param extras? string[] such as `lldb`, which brings lldb-dap
---@return string? fault one line that says what to do; nil when the environment is right
function M.run(tell, extras)
  vim.validate({ tell = { tell, 'function' }, extras = { extras, 'table', true } })
  local present, kept = read_stamp()
  for _, extra in ipairs(extras or {}) do
    if not vim.tbl_contains(kept, extra) then
      kept[#kept + 1] = extra
    end
  end
  local wanted, unknown = requirements(kept)
  if #wanted == 0 then
    return unknown or ('%s has no pyproject.toml: set the option python'):format(host.root())
  end
  if present == digest(wanted) and packages.run_in(M.folder(), M.modules()) then
    tell('the Python environment is up to date')
    return nil
  end
  local new = M.folder() .. '.new'
  local is_made, problem = pcall(vim.fn.mkdir, vim.fs.dirname(new), 'p')
  if not is_made then
    local reason = tostring(problem):match('E%d+: (.*)$') or tostring(problem)
    return ('the environment has no place (%s): make that folder writable, or set the option python'):format(reason)
  end
  local fault = packages.make(new, wanted, M.modules(), pins_path(), tell)
  if not fault then
    local stamp = assert(io.open(new .. '/lazydap-stamp', 'wb'))
    stamp:write(digest(wanted), '\n', table.concat(kept, ' '), '\n')
    stamp:close()
    fault = put_in_place(new)
  end
  vim.fn.delete(new, 'rf')
  if fault then
    return fault
  end
  tell('the Python environment is ready')
end

return M
