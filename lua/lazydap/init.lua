--- Owns what other plugins and a person's configuration may call.

local M = {}

--- Merge options into `vim.g.lazydap`. Not needed: everything works without.
---@param options? table see |lazydap-options|
function M.setup(options)
  require('lazydap.config').merge(options)
end

--- A short text for a statusline: empty while nothing is live.
---@return string
function M.status()
  if not package.loaded['lazydap.state'] then
    return ''
  end
  local state = require('lazydap.state')
  local project = state.commanded(require('lazydap.buffers').path(0)) or {}
  if not state.is_live(project.state) then
    return ''
  end
  for _, stop in ipairs(state.get().stops) do
    if stop.root == project.root and stop.path then
      return ('%s %s:%d'):format(project.state, vim.fs.basename(stop.path), stop.line)
    end
  end
  return ('%s %s'):format(project.state, vim.fs.basename(project.program or ''))
end

---@class lazydap.Snapshot
---@field state string          of the session a command given here is for; `none` when there is none
---@field session_id? string
---@field thread_id? integer
---@field frame? table          where it is stopped: path, line, name
---@field breakpoints table[]
---@field generation integer    of the last batch
---@field connected boolean     a daemon is reached

--- What is known now, as a copy.
---@return lazydap.Snapshot
function M.state()
  local state = require('lazydap.state')
  local now = state.get()
  local project = state.commanded(require('lazydap.buffers').path(0)) or {}
  local frame
  for _, place in ipairs(vim.list_extend(vim.list_extend({}, now.frames), now.stops)) do
    if not frame and place.root == project.root then
      frame = place
    end
  end
  return vim.deepcopy({
    state = project.state or 'none',
    session_id = project.session_id,
    thread_id = frame and frame.thread_id,
    frame = frame,
    breakpoints = now.breakpoints,
    generation = now.generation,
    connected = now.connected,
  })
end

---@param name string
---@param options? table
local function run(name, options)
  local default = { args = '', bang = false, range = 0, line1 = 0, line2 = 0, count = 1 }
  require('lazydap.commands').run(name, vim.tbl_extend('keep', options or {}, default))
end

--- `:LazydapBreak ARGS` on the cursor's line.
---@param args? string
function M.breakpoint(args)
  run('break', { args = args })
end

--- Put a breakpoint on the cursor's line, or take it away.
function M.toggle()
  run('toggle')
end

--- Enable the breakpoint of the cursor's line.
---@param all? boolean those of the whole project
function M.enable(all)
  run('enable', { bang = all == true })
end

--- Disable the breakpoint of the cursor's line.
---@param all? boolean those of the whole project
function M.disable(all)
  run('disable', { bang = all == true })
end

--- `:LazydapLaunch ARGS`
---@param args? string
---@param stop_on_entry? boolean
function M.launch(args, stop_on_entry)
  run('launch', { args = args, bang = stop_on_entry == true })
end

--- Launch a configuration in the shape of launch.json's, as nvim-dap takes them: test and build plugins have such.
---@param config table<string, any>
function M.run(config)
  require('lazydap.launching').run(config)
end

---@param kind? 'over'|'in'|'out' over by default
---@param count? integer
function M.step(kind, count)
  run('step', { args = kind, count = count })
end

function M.continue()
  run('continue')
end

function M.pause()
  run('pause')
end

function M.stop()
  run('stop')
end

function M.disconnect()
  run('disconnect')
end

--- Jump to the stop.
function M.here()
  run('here')
end

--- Choose a frame by its number; 0 is where the program stands.
---@param number integer
function M.frame(number)
  run('frame', { args = tostring(number) })
end

--- Choose the frame that called this one.
---@param count? integer
function M.up(count)
  run('up', { count = count })
end

--- Choose the frame that this one called.
---@param count? integer
function M.down(count)
  run('down', { count = count })
end

--- List the frames.
function M.stack()
  run('stack')
end

--- List the breakpoints of the project.
function M.breakpoints()
  run('breakpoints')
end

--- List the threads.
function M.threads()
  run('threads')
end

--- Look at another thread.
---@param id integer
function M.thread(id)
  run('thread', { args = tostring(id) })
end

--- Show the value under the cursor; a second time go into its window.
function M.hover()
  run('hover')
end

--- Show the value of an expression, by default of what is under the cursor.
---@param expression? string
function M.eval(expression)
  run('eval', { args = expression })
end

--- Watch an expression, by default what is under the cursor; or no longer.
---@param expression? string
---@param remove? boolean
function M.watch(expression, remove)
  run('watch', { args = expression, bang = remove == true })
end

--- Give something a new value.
---@param expression string
---@param value string
function M.set(expression, value)
  require('lazydap.host').send({ verb = 'set', expression = expression, value = value })
end

--- Open or close the pane of variables.
function M.variables()
  run('variables')
end

--- Open or close the program's terminal or output.
function M.output()
  run('output')
end

--- Open or close the evaluation prompt.
function M.console()
  run('console')
end

--- Open or close the usual panes.
function M.ui()
  run('ui')
end

--- Show inline values, or no longer.
function M.values()
  run('values')
end

--- Go to the next breakpoint.
---@param count? integer
function M.next_breakpoint(count)
  run('next-breakpoint', { count = count })
end

--- Go to the breakpoint before.
---@param count? integer
function M.previous_breakpoint(count)
  run('previous-breakpoint', { count = count })
end

--- Debug a program that runs already.
---@param target? string|integer a process id or HOST:PORT; without one choose
function M.attach(target)
  run('attach', { args = target and tostring(target) })
end

--- End the program and launch the same once more.
function M.restart()
  run('restart')
end

---@param name string
---@param line? integer
local function run_at(name, line)
  run(name, line and { range = 1, line1 = line, line2 = line })
end

--- Continue to a line of this file.
---@param line? integer the cursor's by default
function M.run_to_cursor(line)
  run_at('run-to-cursor', line)
end

--- Go on from a line of this file, executing nothing between.
---@param line? integer the cursor's by default
function M.jump(line)
  run_at('jump', line)
end

--- Remove all breakpoints of the project, after a question.
function M.clear()
  run('clear')
end

--- Turn exception filters the other way, without any the one that is chosen.
---@param filters? string[]
---@param reset? boolean back to the default
function M.exceptions(filters, reset)
  run('exceptions', { args = table.concat(filters or {}, ' '), bang = reset == true })
end

--- Stop when the value of an expression changes, or no longer.
---@param expression string
function M.break_data(expression)
  run('break-data', { args = expression })
end

--- End the project's daemon, and its program with it.
function M.shutdown()
  run('shutdown')
end

--- Open a log.
---@param which? 'daemon'|'host'
function M.log(which)
  run('log', { args = which })
end

--- Make the Python environment, or bring it up to date.
---@param extras? string[]
function M.install(extras)
  run('install', { args = table.concat(extras or {}, ' ') })
end

--- For 'statuscolumn': a click puts a breakpoint on the line, or takes it away.
---@param _ integer
---@param clicks integer
---@param button string
function M.click(_, clicks, button)
  local mouse = vim.fn.getmousepos()
  if clicks ~= 1 or button ~= 'l' or mouse.line == 0 then
    return
  end
  vim.api.nvim_win_call(mouse.winid, function()
    run('toggle', { range = 1, line1 = mouse.line, line2 = mouse.line })
  end)
end

--- Let this editor move with the program, or no longer.
---@param on? boolean true by default
function M.follow(on)
  run('follow', { bang = on == false })
end

return M
