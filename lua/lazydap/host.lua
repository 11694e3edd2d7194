--- Owns the plugin host's process: finds its interpreter, starts it on first use, tells when it has gone.
---
--- Lua never asks the host and waits: it notifies, and the host answers with a batch or a message.

local config = require('lazydap.config')
local say = require('lazydap.say')

local M = {}

local MOST_LOG_BYTES = 1024 * 1024 -- of one host's stderr
local KEPT_LINES = 20
-- What needs a daemon: a host that starts for one of these starts the daemon first, and itself meanwhile.
local NEEDS_DAEMON = { attach = true, ['break'] = true, continue = true, launch = true }

---@class lazydap.Job
---@field channel integer
---@field lines string[]      the last lines of its stderr
---@field rest string         a line that is not complete yet
---@field logged integer      bytes
---@field has_answered boolean

local job ---@type lazydap.Job?
local is_leaving = false
local has_failed = false -- the last host died before it drew anything: only a person's command tries again

--- The plugin's folder.
---@return string
function M.root()
  local here = debug.getinfo(1, 'S').source:sub(2)
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(here) or here)))
end

--- Where the host's stderr, and the host itself, write.
---@return string
function M.log_path()
  return vim.fn.stdpath('log') .. '/lazydap.log'
end

--- The file that is started: in a checkout or plugin folder, else in the package around an installed `runtime/`.
---@return string? path
function M.start_file()
  local root = M.root()
  for _, path in ipairs({ root .. '/rplugin/lazydap_nvim/start.py', vim.fs.dirname(root) .. '/start.py' }) do
    if vim.uv.fs_stat(path) then
      return path
    end
  end
end

---@class lazydap.Interpreter
---@field path? string
---@field from string   how it was found
---@field advice? string what to do when there is none

--- The Python that runs the host. An interpreter that a person named is taken as it is; nothing is run to find out.
---@return lazydap.Interpreter
function M.interpreter()
  local named = config.get().python
  if named ~= '' then
    local path = vim.fn.exepath(vim.fn.expand(named))
    if path == '' then
      return { from = 'option python', advice = ('option python names %s, which cannot be run'):format(named) }
    end
    return { path = path, from = 'option python' }
  end
  local root = M.root()
  local places = {
    { root .. '/.venv/bin/python', "the checkout's .venv" },
    { vim.fn.stdpath('data') .. '/lazydap/venv/bin/python', "stdpath('data')/lazydap/venv" },
  }
  local lost ---@type string?
  for _, place in ipairs(places) do
    if vim.fn.executable(place[1]) == 1 then
      return { path = place[1], from = place[2] }
    end
    -- A link to an interpreter that was uninstalled, upgraded or collected as garbage.
    lost = lost or vim.uv.fs_readlink(place[1])
  end
  local fault = lost and ('the Python of the environment is gone (%s)'):format(lost) or 'no Python environment yet'
  return { from = 'nowhere', advice = fault .. ': type :LazydapInstall, or set the option python' }
end

---@param lines string[]
local function append_to_log(lines)
  local path = M.log_path()
  -- Where it cannot be made the log goes without.
  pcall(vim.fn.mkdir, vim.fs.dirname(path), 'p')
  local file = io.open(path, 'a')
  if file then
    file:write(table.concat(lines, '\n'), '\n')
    file:close()
  end
end

---@param this lazydap.Job
---@param data string[] as jobstart gives it: the first piece continues the last line
local function take_stderr(this, data)
  data[1] = this.rest .. data[1]
  this.rest = table.remove(data):sub(-4096)
  if #data == 0 then
    return
  end
  for _, line in ipairs(data) do
    this.logged = this.logged + #line
    this.lines[#this.lines + 1] = line
  end
  while #this.lines > KEPT_LINES do
    table.remove(this.lines, 1)
  end
  if this.logged <= MOST_LOG_BYTES then
    append_to_log(data)
  end
end

---@param this lazydap.Job
---@return string
local function last_words(this)
  table.insert(this.lines, this.rest)
  for index = #this.lines, 1, -1 do
    local line = vim.trim(this.lines[index])
    if line ~= '' then
      return line
    end
  end
  return 'it said nothing'
end

---@param this lazydap.Job
---@param code integer
local function on_exit(this, code)
  if job ~= this then
    return
  end
  job = nil
  if is_leaving then
    return
  end
  require('lazydap.draw').lose_host()
  if this.has_answered then
    say.say(('host ended (exit %d); the next command restarts it'):format(code), 'warn')
    return
  end
  has_failed = true
  local words = last_words(this)
  local remedy = ':LazydapLog host'
  if words:find('^ModuleNotFoundError') then
    local install = require('lazydap.install')
    local is_stale = install.is_ours(M.interpreter().path) and not install.is_current()
    remedy = is_stale and 'type :LazydapInstall' or ':checkhealth lazydap'
  end
  say.say(('host did not start (%s): %s'):format(remedy, words), 'error')
end

---@return string[]
local function loaded_files()
  return vim.tbl_map(function(entry)
    return entry.path
  end, require('lazydap.buffers').loaded())
end

---@return table
local function hello()
  local version = vim.version()
  -- The host has no use for keys, and JSON none for functions.
  local options = vim.tbl_extend('force', config.get(), { debug_keys = config.get().debug_keys ~= false })
  return {
    verb = 'hello',
    cwd = vim.fn.getcwd(),
    pid = vim.uv.os_getpid(),
    files = loaded_files(),
    options = options,
    log = M.log_path(),
    root = M.root(),
    version = ('%d.%d.%d'):format(version.major, version.minor, version.patch),
  }
end

---@param message table
---@return string json
local function encoded(message)
  if not message.where then
    local path = require('lazydap.buffers').path(0)
    message.where = {
      file = path or '',
      line = vim.api.nvim_win_get_cursor(0)[1],
      cwd = vim.fn.getcwd(),
    }
  end
  return vim.json.encode(message)
end

---@param verb? string of the command for which it starts
---@return lazydap.Job? job
---@return string? fault
local function start(verb)
  local interpreter = M.interpreter()
  local file = M.start_file()
  if not interpreter.path then
    return nil, interpreter.advice
  end
  if not file then
    return nil, ('the plugin host is missing from %s: install the plugin again'):format(M.root())
  end
  ---@type lazydap.Job
  local this = { channel = 0, lines = {}, rest = '', logged = 0, has_answered = false }
  local command = { interpreter.path, '-E', file }
  if NEEDS_DAEMON[verb] then
    vim.list_extend(command, { 'for', require('lazydap.buffers').path(0) or vim.fn.getcwd() })
  end
  local ok, channel = pcall(vim.fn.jobstart, command, {
    rpc = true,
    on_stderr = function(_, data)
      take_stderr(this, data)
    end,
    on_exit = function(_, code)
      on_exit(this, code)
    end,
  })
  if not ok or channel <= 0 then
    return nil, ('%s cannot be run: set the option python'):format(interpreter.path)
  end
  this.channel = channel
  local revision = require('lazydap.revision')
  if revision.is_outdated() then
    say.say('lazydap was updated: restart Neovim to use the new version', 'warn')
  end
  revision.hold()
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('lazydap_host', {}),
    callback = function()
      is_leaving = true
      if config.get().on_exit ~= 'keep' then
        require('lazydap.leaving').leave()
      end
      M.tell({ verb = 'bye' })
    end,
  })
  return this
end

---@param this lazydap.Job
---@param message table
---@return boolean
local function notify(this, message)
  return (pcall(vim.rpcnotify, this.channel, 'lazydap', encoded(message)))
end

---@return boolean
local function is_remote_plugin()
  return config.get().host == 'remote-plugin'
end

--- What is asked next may depend on where the breakpoints have gone with their text.
local function settle_text()
  if package.loaded['lazydap.following'] then
    require('lazydap.following').settle()
  end
end

local greeted_remote = false

--- A remote plugin's function comes into being with its first call; until then an autocommand stands for it.
---@return boolean
local function is_registered()
  return vim.fn.exists('*_LazydapHost') == 1 or vim.fn.exists('#FuncUndefined#_LazydapHost') == 1
end

---@param message table
---@return string? fault
local function send_to_remote_plugin(message)
  if not is_registered() then
    return 'type :UpdateRemotePlugins and start Neovim again, or take host = "remote-plugin" out of the options'
  end
  if not greeted_remote then
    greeted_remote = true
    vim.fn._LazydapHost(encoded(hello()))
  end
  vim.fn._LazydapHost(encoded(message))
end

--- Send a person's wish to the host, which is started if need be. When that cannot be done, one line says why.
---@param message table with the key `verb`
---@return boolean sent
function M.send(message)
  say.begin()
  if M.is_running() then
    settle_text()
  end
  if is_remote_plugin() then
    local fault = send_to_remote_plugin(message)
    if fault then
      say.say(fault, 'error')
    end
    return fault == nil
  end
  if job and notify(job, message) then
    return true
  end
  local this, fault = start(message.verb)
  if not this then
    say.say(fault or 'the plugin host cannot be started', 'error')
    return false
  end
  job = this
  local is_greeted = notify(this, hello())
  settle_text()
  return is_greeted and notify(this, message)
end

--- Tell the host something if it runs; otherwise nothing happens.
---@param message table
function M.tell(message)
  if is_remote_plugin() then
    if greeted_remote then
      send_to_remote_plugin(message)
    end
  elseif job then
    notify(job, message)
  end
end

--- Start the host because a file was opened. A host that could not start is left for a person's command.
function M.start_in_background()
  if is_remote_plugin() then
    if not greeted_remote and is_registered() then
      greeted_remote = true
      vim.fn._LazydapHost(encoded(hello()))
    end
    return
  end
  if job or has_failed then
    return
  end
  local this = start()
  has_failed = this == nil
  job = this
  if this then
    notify(this, hello())
  end
end

--- Answer a batch: the host keeps one in flight.
---@param generation? integer
function M.acknowledge(generation)
  if job then
    job.has_answered = true
  end
  has_failed = false
  M.tell({ verb = 'ack', generation = generation })
end

--- Whether the host runs.
---@return boolean
function M.is_running()
  return job ~= nil or greeted_remote
end

--- The host's process id; nil when none runs.
---@return integer?
function M.pid()
  if not job then
    return nil
  end
  local ok, pid = pcall(vim.fn.jobpid, job.channel)
  return ok and pid or nil
end

return M
