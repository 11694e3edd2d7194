--- Owns the window with the program's own terminal: `lazydap terminal` runs in it, and keys go to the program.

local moment = require('lazydap.moment')
local panes = require('lazydap.panes')
local say = require('lazydap.say')
local state = require('lazydap.state')

local M = {}

-- Found beside the plugin in a checkout, else where the interpreter has it.
local COMMAND = [[import sys
sys.path[:0] = sys.argv[1:3]
sys.argv[1:] = ['terminal']
from lazydap_cli.main import console_main
console_main()]]

local LEAVING = 3000 -- milliseconds for the viewer to end
local LONG = 1000 -- milliseconds after which a run is worth a hint

local shown ---@type string? the session whose terminal the pane has

--- The project whose program has a terminal; one whose program lives comes first.
---@return table?
local function with_terminal()
  local found ---@type table?
  for _, project in ipairs(state.get().projects) do
    if project.terminal and (not found or state.is_live(project.state)) then
      found = project
    end
  end
  return found
end

---@return integer
local function create()
  return vim.api.nvim_create_buf(false, true)
end

local function discard()
  local buffer = panes.buffer('terminal')
  panes.close('terminal')
  if buffer then
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
end

--- The viewer ends well with its program. It fails where there is none any more: that is no text for a pane.
---@param buffer integer
---@param code integer
local function on_failed(buffer, code)
  local is_failed = code > 0 and code < 128 and vim.v.exiting == vim.NIL
  if not is_failed or buffer ~= panes.buffer('terminal') then
    return
  end
  shown = nil
  discard()
  say.say('nothing is kept of the last program: :LazydapLaunch starts one')
end

--- Run the terminal in the current window, so that the program is told that window's size.
---@param buffer integer
---@return string? failure
local function start(buffer)
  local project = with_terminal()
  local host = require('lazydap.host')
  local interpreter = host.interpreter()
  if not interpreter.path or not project then
    return interpreter.advice or 'no program has a terminal'
  end
  local command = { interpreter.path, '-E', '-c', COMMAND, host.root(), host.root() .. '/daemon', 'terminal' }
  local options = {
    cwd = project.root,
    env = { LAZYDAP_TERMINAL_IN = 'pane' },
    on_exit = vim.schedule_wrap(function(_, code)
      on_failed(buffer, code)
    end),
  }
  local job ---@type integer
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    job = vim.fn.jobstart(command, options)
  else
    job = vim.fn.termopen(command, options)
  end
  if job <= 0 then
    return interpreter.path .. ' cannot be run'
  end
  shown = project.session_id
  local name = vim.api.nvim_buf_get_name(buffer)
  vim.api.nvim_buf_set_name(buffer, 'lazydap://terminal')
  -- Neovim keeps a buffer of the old name, which would start another one when somebody goes there.
  local left = vim.fn.bufnr(name)
  if left > 0 and left ~= buffer then
    vim.api.nvim_buf_delete(left, { force = true })
  end
  vim.bo[buffer].bufhidden = 'hide'
  vim.bo[buffer].filetype = 'lazydap-terminal'
  -- On its last line a window goes along with what is written.
  vim.cmd('normal! G')
end

panes.kinds.terminal = { split = 'below', size = 12, create = create, start = start, wrap = true }

-- A terminal that runs would keep Neovim from leaving. The program loses nothing: its terminal is the daemon's.
vim.api.nvim_create_autocmd('ExitPre', {
  group = vim.api.nvim_create_augroup('lazydap_terminal', {}),
  callback = function()
    local buffer = panes.buffer('terminal')
    local job = buffer and vim.bo[buffer].channel or 0
    if job == 0 or pcall(vim.fn.jobstop, job) == false then
      return
    end
    vim.fn.jobwait({ job }, LEAVING)
    vim.schedule(function()
      -- Something else has kept it.
      local was_open = panes.window('terminal') ~= nil
      discard()
      if was_open then
        M.open()
      end
    end)
  end,
})

--- Whether windows show the terminal of a program that another one with a terminal has followed.
---@return boolean
local function is_overtaken()
  local project = with_terminal()
  local is_another = project ~= nil and project.session_id ~= shown and state.is_live(project.state)
  return is_another and #vim.fn.win_findbuf(panes.buffer('terminal') or -1) > 0
end

local has_stopped = {} ---@type table<string, true> sessions whose next run is long enough to tell of their terminal

--- Once a session, when it runs on from a stop and no window shows its terminal: it may wait there for an answer.
---@param project? table
local function hint(project)
  if not project or state.get().follow == false then
    return
  end
  local id = project.session_id
  if project.state == 'paused' and has_stopped[id] == nil then
    has_stopped[id] = true
  elseif project.state == 'running' and has_stopped[id] then
    vim.defer_fn(function()
      local now = with_terminal()
      local is_same = now and now.session_id == id and now.state == 'running'
      if is_same and has_stopped[id] and not panes.window('terminal') then
        has_stopped[id] = false
        local name = vim.fs.basename(now.program or 'the program')
        say.say(name .. ' is running: :LazydapOutput shows its terminal')
      end
    end, LONG)
  end
end

--- Bring open windows in line with the state: they go along from one program to the next.
function M.update()
  hint(with_terminal())
  if not is_overtaken() then
    return
  end
  moment.when_free('terminal', function()
    local failure = is_overtaken() and panes.renew('terminal')
    if failure then
      discard()
      say.say(failure, 'error')
    end
  end)
end

--- Whether the program that is live, or was last, has a terminal.
---@return boolean
function M.is_there()
  return with_terminal() ~= nil
end

--- Show the terminal of the program that has one.
---@return boolean is_there
function M.open()
  local project = with_terminal()
  if not project then
    return false
  end
  if shown ~= project.session_id then
    discard()
  end
  local _, failure = panes.open('terminal')
  if failure then
    discard()
    say.say(failure, 'error')
  end
  return true
end

--- Open the terminal's window, or close it.
---@return boolean is_there false where no program has a terminal
function M.toggle()
  local project = with_terminal()
  if project and shown == project.session_id and panes.window('terminal') then
    panes.close('terminal')
    return true
  end
  return M.open()
end

return M
