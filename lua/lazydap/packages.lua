--- Owns how a Python environment with packages in it is made: by uv where there is one, else by a working Python and
--- pip; and what is said when it cannot be.

local M = {}

local CANDIDATES = { 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python' }
local IS_NEW = 'import sys; sys.exit(sys.version_info < (3, 11))'
local HAS_VENV = 'import venv, ensurepip'
local PROBE_MS = 10 * 1000
local INSTALL_MS = 10 * 60 * 1000

local UNREACHABLE = {
  'NewConnectionError',
  'Failed to establish',
  'name resolution',
  'Name or service not known',
  'Network is unreachable',
  'Connection refused',
  'ConnectTimeout',
  'ReadTimeoutError',
  'ProxyError',
  'dns error',
  'client error %(Connect%)',
  'error sending request',
}
local OFFLINE = 'the package index cannot be reached: look at the network and proxy, '
  .. 'set PIP_INDEX_URL to another index, or PIP_FIND_LINKS to a folder of wheels, then type :LazydapInstall'

local ON_NIXOS = 'on NixOS let Nix make the Python, see :help lazydap-nixos'
local NO_PYTHON = 'no Python 3.11 or newer was found: '

local VENV = 'install venv and ensurepip for it (Debian, Ubuntu: apt install %s-venv), or uv'

--- The environment of what is run: the person's own index and proxy, and no other Python's packages.
---@return table<string, string>
local function environment()
  local env = vim.fn.environ()
  env.PYTHONHOME, env.PYTHONPATH, env.VIRTUAL_ENV = nil, nil, nil
  env.PIP_USER = '0'
  -- uv has names of its own for what is set for pip.
  env.UV_DEFAULT_INDEX = env.UV_DEFAULT_INDEX or env.PIP_INDEX_URL
  env.UV_INDEX = env.UV_INDEX or env.PIP_EXTRA_INDEX_URL
  env.UV_FIND_LINKS = env.UV_FIND_LINKS or (env.PIP_FIND_LINKS or ''):gsub('%s+', ',')
  env.UV_NO_INDEX = env.UV_NO_INDEX or env.PIP_NO_INDEX
  return env
end

---@param command string[]
---@param timeout integer milliseconds
---@return string? fault what it printed, or why it did not run; nil when all went well
local function fault_of(command, timeout)
  local options = { text = true, timeout = timeout, env = environment(), clear_env = true }
  local ok, process = pcall(vim.system, command, options)
  if not ok then
    return tostring(process)
  end
  local result = process:wait()
  if result.code == 0 then
    return nil
  end
  local words = vim.trim((result.stdout or '') .. '\n' .. (result.stderr or ''))
  if result.code == 124 then
    return ('no answer within %d s'):format(timeout / 1000)
  end
  return words ~= '' and words or ('exit code %d'):format(result.code)
end

---@param fault string
---@return string
local function last_line(fault)
  return (fault:match('([^\n]+)%s*$') or fault)
end

--- One line for a person, with what to do.
---@param fault string
---@return string
local function explained(fault)
  for _, pattern in ipairs(UNREACHABLE) do
    if fault:find(pattern) then
      return OFFLINE
    end
  end
  return 'pip could not install the packages: ' .. last_line(fault)
end

--- Whether programs and compiled packages that were made elsewhere do not run here.
---@return boolean
local function is_nixos()
  return vim.uv.fs_stat('/etc/NIXOS') ~= nil
end

--- The newest Python that works, and can make an environment.
---@return string? python
---@return string? fault
local function usable_python()
  local lacking ---@type string?
  for _, name in ipairs(CANDIDATES) do
    -- A name on PATH may be a version manager's stand-in for nothing.
    if vim.fn.executable(name) == 1 and not fault_of({ name, '-E', '-c', IS_NEW }, PROBE_MS) then
      if not fault_of({ name, '-E', '-c', HAS_VENV }, PROBE_MS) then
        return name
      end
      lacking = lacking or name
    end
  end
  if lacking then
    return nil, ('%s cannot make environments: %s'):format(lacking, is_nixos() and ON_NIXOS or VENV:format(lacking))
  end
  return nil, NO_PYTHON .. (is_nixos() and ON_NIXOS or 'install one, or uv, or set the option python')
end

---@param folder string
---@param wanted string[]
---@param pins string
---@param tell fun(line: string)
---@return string? fault
local function by_uv(folder, wanted, pins, tell)
  tell('making a Python environment with uv')
  local python = folder .. '/bin/python'
  local fault = fault_of({ 'uv', 'venv', '--quiet', '--python', '>=3.11', folder }, INSTALL_MS)
  if fault then
    return fault
  end
  tell(('installing %d packages and what they need'):format(#wanted))
  local command = { 'uv', 'pip', 'install', '--quiet', '--python', python, '--constraint', pins }
  return fault_of(vim.list_extend(command, wanted), INSTALL_MS)
end

---@param folder string
---@param wanted string[]
---@param pins string
---@param tell fun(line: string)
---@return string? fault
local function by_pip(folder, wanted, pins, tell)
  local base, missing = usable_python()
  if not base then
    return missing
  end
  tell(('making a Python environment with %s'):format(base))
  local fault = fault_of({ base, '-E', '-m', 'venv', '--clear', folder }, INSTALL_MS)
  if fault then
    local cure = is_nixos() and ON_NIXOS or VENV:format(base)
    return ('%s could not make an environment (%s): %s'):format(base, last_line(fault), cure)
  end
  tell(('installing %d packages and what they need'):format(#wanted))
  local command = { folder .. '/bin/python', '-E', '-m', 'pip', '--disable-pip-version-check', '--quiet', 'install' }
  vim.list_extend(command, { '--retries', '2', '--constraint', pins })
  fault = fault_of(vim.list_extend(command, wanted), INSTALL_MS)
  return fault and explained(fault)
end

---@param folder string
---@param modules string[]
---@return string? fault
local function import_fault(folder, modules)
  local lines = vim.tbl_map(function(name)
    return 'import ' .. name
  end, modules)
  -- The wheel of lldb-dap finishes its own installation when Python first starts with it, which takes its time.
  return fault_of({ folder .. '/bin/python', '-E', '-c', table.concat(lines, '\n') }, INSTALL_MS)
end

--- Whether an environment is there and the modules can be imported in it.
---@param folder string
---@param modules string[]
---@return boolean
function M.run_in(folder, modules)
  return import_fault(folder, modules) == nil
end

--- Compiled packages do not run everywhere.
---@param folder string
---@param modules string[]
---@return string? fault
local function try(folder, modules)
  local fault = import_fault(folder, modules)
  if not fault then
    return nil
  end
  local cure = is_nixos() and ON_NIXOS or 'set the option python to a Python that has them'
  return ('the packages are installed and do not run: %s: %s'):format(last_line(fault), cure)
end

--- Make an environment with packages in it.
---@param folder string where; what is there goes
---@param wanted string[] requirements
---@param modules string[] what must be importable then
---@param pins string a file of constraints
---@param tell fun(line: string) called before each step
---@return string? fault one line that says what to do
function M.make(folder, wanted, modules, pins, tell)
  vim.fn.delete(folder, 'rf')
  if vim.fn.executable('uv') == 1 then
    local fault = by_uv(folder, wanted, pins, tell)
    fault = fault and last_line(fault) or try(folder, modules)
    if not fault then
      return nil
    end
    -- What uv knows nothing of, such as a pip.conf, pip may know.
    tell(('uv did not succeed (%s): trying without it'):format(fault))
    vim.fn.delete(folder, 'rf')
  end
  return by_pip(folder, wanted, pins, tell) or try(folder, modules)
end

return M
