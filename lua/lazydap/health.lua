--- Owns `:checkhealth lazydap`: what is there, what is missing, and what to type.

local config = require('lazydap.config')
local host = require('lazydap.host')

local M = {}

local PROBE_MS = 5000
local PROBE = table.concat({
  'import sys',
  'print("%d.%d.%d" % sys.version_info[:3])',
  'for name in sys.argv[1:]:',
  '    try:',
  '        __import__(name)',
  '    except ImportError as error:',
  '        print("missing " + name)',
}, '\n')

-- The command line's own checks, from the same files; in a wheel the packages are found without the folders.
local DOCTOR = table.concat({
  'import os, sys',
  'sys.path[:0] = sys.argv[1:]',
  'from lazydap_cli.running import run',
  "sys.exit(run(['doctor', '--format', 'json'], os.environ))",
}, '\n')
local DOCTOR_MS = 30 * 1000

local function check_neovim()
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim 0.10 or newer is needed', { 'install a newer Neovim' })
  end
  if vim.fn.has('win32') == 1 then
    vim.health.error('Windows is not supported: the daemon needs Unix sockets', { 'use Neovim inside WSL' })
  end
end

--- What to type when that interpreter will not do.
---@param interpreter lazydap.Interpreter
---@return string[]
local function cures(interpreter)
  if interpreter.from == 'option python' then
    return {
      'name a Python 3.11 or newer that has the packages in the option python',
      'or take that option away and type :LazydapInstall',
    }
  end
  if require('lazydap.install').is_ours(interpreter.path) then
    return { 'type :LazydapInstall' }
  end
  return { 'type `make setup` in ' .. host.root(), 'or set the option python' }
end

---@param interpreter lazydap.Interpreter
local function probe(interpreter)
  local command = { interpreter.path, '-E', '-c', PROBE }
  vim.list_extend(command, require('lazydap.install').modules())
  local ok, process = pcall(vim.system, command, { text = true, timeout = PROBE_MS })
  local result = ok and process:wait() or { code = -1, stdout = '', stderr = tostring(process) }
  if result.code ~= 0 then
    local words = vim.trim(result.stderr or '')
    vim.health.error(('%s does not run: %s'):format(interpreter.path, words), cures(interpreter))
    return
  end
  local lines = vim.split(vim.trim(result.stdout), '\n')
  local version = table.remove(lines, 1)
  if vim.version.lt(version, '3.11.0') then
    vim.health.error(('Python %s is too old, 3.11 or newer is needed'):format(version), cures(interpreter))
  else
    vim.health.ok(('Python %s: %s (%s)'):format(version, interpreter.path, interpreter.from))
  end
  for _, line in ipairs(lines) do
    local name = line:match('^missing (.+)$')
    if name then
      local advice = cures(interpreter)
      if interpreter.from == 'option python' then
        table.insert(advice, 1, ('%s -m pip install %s'):format(interpreter.path, name))
      end
      vim.health.error(('the package %s is missing'):format(name), advice)
    end
  end
end

local function check_host()
  local file = host.start_file()
  if not file then
    vim.health.error('the plugin host is missing from ' .. host.root(), { 'install the plugin again' })
    return
  end
  local interpreter = host.interpreter()
  if interpreter.path then
    probe(interpreter)
    local install = require('lazydap.install')
    if install.is_ours(interpreter.path) and not install.is_current() then
      vim.health.warn('the plugin wants other packages since its last update', { 'type :LazydapInstall' })
    end
  else
    vim.health.error(interpreter.advice, interpreter.from == 'option python' and cures(interpreter) or nil)
  end
  local pid = host.pid()
  if pid then
    vim.health.info(('the host runs, process %d'):format(pid))
  else
    vim.health.info('the host does not run; the first command starts it')
  end
  vim.health.info('log of the host: ' .. host.log_path())
end

local function check_options()
  local _, faults = config.check(vim.g.lazydap)
  for _, fault in ipairs(faults) do
    vim.health.warn(fault, { ':help lazydap-options' })
  end
  if #faults == 0 then
    vim.health.ok('options are known and of the right type')
  end
end

local function check_screen()
  if vim.fn.strdisplaywidth('●') ~= 1 then
    vim.health.info("glyphs are two cells wide here ('ambiwidth'): signs are letters")
  end
  if vim.o.signcolumn:find('^auto') then
    vim.health.info("'signcolumn' is auto: the text moves when the first sign appears; 'yes' avoids that")
  elseif vim.o.signcolumn == 'no' then
    vim.health.warn("'signcolumn' is no: signs cannot be seen", { 'set signcolumn=yes' })
  end
end

--- The file the user came from: `:checkhealth` has opened its own buffer, in a tab page, a split or a float.
---@return string?
local function file_before()
  local tab = vim.api.nvim_list_tabpages()[vim.fn.tabpagenr('#')]
  local candidates = {
    vim.fn.winbufnr(vim.fn.winnr('#')),
    tab and vim.api.nvim_win_get_buf(vim.api.nvim_tabpage_get_win(tab)) or -1,
    vim.fn.bufnr('#'),
  }
  for _, buffer in ipairs(candidates) do
    local path = vim.api.nvim_buf_is_valid(buffer) and buffer > 0 and require('lazydap.buffers').path(buffer)
    if path then
      return path
    end
  end
end

-- What the command line's cures are called here.
local COMMANDS = {
  ['`lazydap logs`'] = ':LazydapLog',
  ['`lazydap status`'] = ':LazydapStatus',
  ['`lazydap shutdown`'] = ':Lazydap shutdown',
}

---@param name string
---@return string[]? what to type where the check has failed and its own words do not say it
local function advice(name)
  local system = vim.uv.os_uname()
  if name == 'adapter.codelldb' then
    local has_wheel = system.sysname == 'Linux' and system.machine == 'x86_64'
    return { has_wheel and 'type :LazydapInstall lldb' or 'type :MasonInstall codelldb, where Mason is installed' }
  elseif name == 'socket.path' then
    return { 'in your shell: export LAZYDAP_RUNTIME_DIR=~/.ld' }
  elseif name == 'daemon' then
    return { 'type :LazydapLog' }
  end
end

--- Adapters, state file, socket and daemon of the project that the current file, or else the directory, belongs to.
local function check_doctor()
  local python = host.interpreter().path
  if not python then
    return
  end
  local file = file_before()
  local ok, process = pcall(vim.system, { python, '-E', '-c', DOCTOR, host.root(), host.root() .. '/daemon' }, {
    cwd = file and vim.fs.dirname(file) or vim.fn.getcwd(),
    text = true,
    timeout = DOCTOR_MS,
  })
  local result = ok and process:wait() or { stdout = '', stderr = tostring(process) }
  local is_read, report = pcall(vim.json.decode, result.stdout)
  if not is_read then
    local words = vim.trim(result.stderr or '')
    vim.health.error('the checks of the command line do not run: ' .. words, { 'type :LazydapInstall' })
    return
  end
  for _, check in ipairs(report.checks) do
    local line = ('%s: %s'):format(check.name, check.detail:gsub('`lazydap %a+`', COMMANDS))
    if check.ok then
      vim.health.ok(line)
    elseif vim.startswith(check.name, 'adapter.') then
      -- Who needs no Go needs no delve.
      vim.health.warn(line, advice(check.name))
    elseif not vim.startswith(check.name, 'editor.') then
      vim.health.error(line, advice(check.name))
    end
  end
end

--- `:UpdateRemotePlugins` keeps what it found; an entry of an older plugin would start a second host.
local function check_manifest()
  local manifest = vim.env.NVIM_RPLUGIN_MANIFEST or (vim.fn.stdpath('data') .. '/rplugin.vim')
  local file = io.open(manifest, 'r')
  local text = file and file:read('*a') or ''
  if file then
    file:close()
  end
  local has_entry = text:find('lazydap', 1, true) ~= nil
  local is_wanted = config.get().host == 'remote-plugin'
  if is_wanted and not has_entry then
    vim.health.error("host = 'remote-plugin' is set, and nothing is registered", { 'type :UpdateRemotePlugins' })
  elseif has_entry and not is_wanted then
    vim.health.info('registered as a remote plugin too, which is not used: the option host says so')
  end
end

local function check_projects()
  local projects = require('lazydap.state').get().projects
  for _, project in ipairs(projects) do
    vim.health.ok(('%s: %s'):format(project.root, project.state or 'none'))
  end
  if #projects == 0 then
    vim.health.info('no project is known yet')
  end
end

--- Called by `:checkhealth lazydap`.
function M.check()
  vim.health.start('lazydap: editor')
  check_neovim()
  check_options()
  check_screen()
  vim.health.start('lazydap: plugin host')
  check_host()
  check_manifest()
  vim.health.start('lazydap: projects')
  check_projects()
  vim.health.start('lazydap: adapters, daemon, state file')
  check_doctor()
end

return M
