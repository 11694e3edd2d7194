--- Owns the private Python environment: what must be in it, whether it still is, and how it is made.
---
--- It holds dependencies only; the code always runs from the plugin's own folder. Shared by build.lua and
--- `:LazydapInstall`.

local host = require('lazydap.host')

local M = {}

local CANDIDATES = { 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python' }
local IS_USABLE = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
local PROBE_MS = 10 * 1000
local PIP_MS = 10 * 60 * 1000

--- Where the environment is.
---@return string
function M.folder()
  return vim.fn.stdpath('data') .. '/lazydap/venv'
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

---@param command string[]
---@param timeout integer milliseconds
---@return string? fault the last line of what went wrong; nil when all went well
local function fault_of(command, timeout)
  local ok, process = pcall(vim.system, command, { text = true, timeout = timeout, env = { PIP_USER = '0' } })
  if not ok then
    return tostring(process)
  end
  local result = process:wait()
  if result.code == 0 then
    return nil
  end
  local lines = vim.split(vim.trim((result.stdout or '') .. '\n' .. (result.stderr or '')), '\n')
  local last = lines[#lines] ~= '' and lines[#lines] or ('exit code %d'):format(result.code)
  return result.code == 124 and ('no answer within %d s'):format(timeout / 1000) or last
end

---@return string? python
local function usable_python()
  for _, name in ipairs(CANDIDATES) do
    if vim.fn.executable(name) == 1 and not fault_of({ name, '-E', '-c', IS_USABLE }, PROBE_MS) then
      return name
    end
  end
end

---@param python string where the environment's interpreter is to be
---@param tell fun(line: string)
---@return string? fault
local function make(python, tell)
  if not fault_of({ python, '-E', '-c', IS_USABLE }, PROBE_MS) then
    return nil -- It works, and hosts may run from it: it is changed in place.
  end
  local base = usable_python()
  if not base then
    return 'no Python 3.11 or newer with venv was found: install one (Debian: python3-venv), or set the option python'
  end
  tell(('making a Python environment with %s'):format(base))
  local fault = fault_of({ base, '-E', '-m', 'venv', '--clear', M.folder() }, PIP_MS)
  return fault and ('%s -m venv %s: %s'):format(base, M.folder(), fault)
end

--- Make the environment, or bring it up to date; returns when that is done. Extras once asked for are kept.
---@param tell fun(line: string) called before each step
---@param extras? string[] such as `lldb`, which brings lldb-dap
---@return string? fault one line that says what to do; nil when the environment is right
function M.run(tell, extras)
  vim.validate({ tell = { tell, 'function' }, extras = { extras, 'table', true } })
  local packages, kept = read_stamp()
  for _, extra in ipairs(extras or {}) do
    if not vim.tbl_contains(kept, extra) then
      kept[#kept + 1] = extra
    end
  end
  local wanted, unknown = requirements(kept)
  if #wanted == 0 then
    return unknown or ('%s has no pyproject.toml: set the option python'):format(host.root())
  end
  local python = M.folder() .. '/bin/python'
  if packages == digest(wanted) and vim.fn.executable(python) == 1 then
    tell('the Python environment is up to date')
    return nil
  end
  local fault = make(python, tell)
  if fault then
    return fault
  end
  tell(('installing %d packages and what they need'):format(#wanted))
  local pip = { python, '-E', '-m', 'pip', '--disable-pip-version-check', '--quiet', 'install' }
  vim.list_extend(pip, { '--constraint', pins_path() })
  fault = fault_of(vim.list_extend(pip, wanted), PIP_MS)
  -- The wheel of lldb-dap finishes its own installation when Python first starts with it.
  fault = fault or fault_of({ python, '-E', '-c', 'pass' }, PIP_MS)
  if fault then
    return 'pip could not install the packages: ' .. fault
  end
  local stamp = assert(io.open(stamp_path(), 'wb'))
  stamp:write(digest(wanted), '\n', table.concat(kept, ' '), '\n')
  stamp:close()
  tell('the Python environment is ready')
end

return M
