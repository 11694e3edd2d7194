--- Owns the table of subcommands: what `:Lazydap X` and `:LazydapX` do, and how they complete.

local host = require('lazydap.host')
local say = require('lazydap.say')

local M = {}

---@class lazydap.Subcommand
---@field run fun(options: table)                    options as a user command gets them
---@field complete? fun(lead: string, before: string): string[] `before`: the argument up to the word being completed
---@field help string

local STEPS = { over = 'over', next = 'over', ['in'] = 'in', into = 'in', out = 'out' }

---@param kind string
---@return fun(options: table)
local function step(kind)
  return function(options)
    host.send({ verb = 'step', kind = kind, count = math.max(options.count or 1, 1) })
  end
end

---@param options table
local function step_by_word(options)
  local word = vim.trim(options.args)
  local kind = STEPS[word == '' and 'over' or word]
  if not kind then
    say.say(('step over, in or out, not %s'):format(word), 'warn')
    return
  end
  step(kind)(options)
end

--- A verb about a line of this file: the range's, else the cursor's.
---@param verb string
---@return fun(options: table)
local function at_line(verb)
  return function(options)
    local line = (options.range or 0) > 0 and options.line2 or vim.fn.line('.')
    local path = require('lazydap.buffers').path(0)
    local older = path and require('lazydap.origin').in_programs(path, line)
    host.send({ verb = verb, file = path or '', line = line, older = older })
  end
end

---@param options table
local function break_data(options)
  local expression = vim.trim(options.args)
  if expression == '' then
    require('lazydap.say').say('say what is to be watched: :LazydapBreakData EXPR', 'warn')
    return
  end
  host.send({ verb = 'breakdata', expression = expression })
end

---@param options table
local function exceptions(options)
  local filters = vim.split(vim.trim(options.args), '%s+', { trimempty = true })
  host.send({ verb = 'exceptions', filters = #filters > 0 and filters or nil, reset = options.bang or nil })
end

---@param verb string
---@return fun()
local function plain(verb)
  return function()
    host.send({ verb = verb })
  end
end

--- A verb that may start a program.
---@param verb 'attach'|'continue'|'restart'
---@return fun(options: table)
local function starting(verb)
  return function(options)
    local target = verb == 'attach' and vim.trim(options.args) or nil
    require('lazydap.launching').send({ verb = verb, target = target })
  end
end

---@param verb 'up'|'down'
---@return fun(options: table)
local function walk(verb)
  return function(options)
    host.send({ verb = verb, count = math.max(options.count or 1, 1) })
  end
end

--- A number, or in the stack list the entry under the cursor.
---@param options table
local function choose_frame(options)
  local word = vim.trim(options.args)
  if word:find('^%d+$') then
    host.send({ verb = 'frame', n = tonumber(word) })
    return
  end
  local id = word == '' and require('lazydap.lists').id_under_cursor('stack')
  if id then
    host.send({ verb = 'frame', id = id })
  else
    say.say('which frame? :LazydapFrame N, 0 is where the program stands; bare in the stack list', 'warn')
  end
end

---@param options table
local function open_log(options)
  require('lazydap.logs').open(vim.trim(options.args))
end

---@param options table
local function install(options)
  local extras = vim.split(vim.trim(options.args), '%s+', { trimempty = true })
  local fault = require('lazydap.install').run(say.meanwhile, extras)
  if fault then
    say.meanwhile(fault, 'error')
  end
end

--- A number, or in the list of threads the entry under the cursor.
---@param options table
local function choose_thread(options)
  local word = vim.trim(options.args)
  local id = word:find('^%d+$') and tonumber(word)
    or word == '' and require('lazydap.lists').id_under_cursor('threads')
  if id then
    host.send({ verb = 'thread', id = id })
  else
    say.say('which thread? :LazydapThread N, as :LazydapThreads lists them; bare in that list', 'warn')
  end
end

local function switch_values()
  local config = require('lazydap.config')
  local is_on = not config.get().values
  config.merge({ values = is_on })
  require('lazydap.draw').values()
  say.say(is_on and 'values are shown' or 'values are hidden')
end

--- Take all breakpoints of the project away, once a person has said yes.
local function clear()
  local choices = { 'Remove all breakpoints of the project', 'Keep them' }
  vim.ui.select(choices, { prompt = 'All breakpoints?' }, function(_, index)
    if index == 1 then
      host.send({ verb = 'unbreak', all = true })
    end
  end)
end

---@param words string[]
---@return fun(lead: string): string[]
local function among(words)
  return function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
end

--- A function of a module that is loaded when the command is given.
---@param module string
---@param name string
---@param ... any its first arguments
---@return fun(options: table)
local function late(module, name, ...)
  local first = { ... }
  return function(options)
    local arguments = vim.list_extend(vim.list_extend({}, first), { options })
    require('lazydap.' .. module)[name](unpack(arguments))
  end
end

---@type table<string, lazydap.Subcommand>
M.table = {
  ['break'] = {
    help = 'breakpoint here, or take it away; [FILE:LINE | FUNC] [if EXPR] [hit N] [log TEXT]',
    run = function(options)
      require('lazydap.breaking').toggle(options)
    end,
    complete = function(lead, before)
      return require('lazydap.completion').of_break(lead, before)
    end,
  },
  toggle = {
    help = 'breakpoint here, or take it away',
    run = function(options)
      require('lazydap.breaking').toggle(vim.tbl_extend('force', options, { args = '', bang = false }))
    end,
  },
  enable = {
    help = 'enable the breakpoints of the lines; ! all of the project',
    run = function(options)
      require('lazydap.breaking').switch('enable', options)
    end,
  },
  disable = {
    help = 'disable the breakpoints of the lines; ! all of the project',
    run = function(options)
      require('lazydap.breaking').switch('disable', options)
    end,
  },
  ['break-data'] = { help = 'stop when the value of EXPR changes, or no longer', run = break_data },
  exceptions = {
    help = 'choose which exceptions stop: [FILTER ...] turns those the other way; ! back to the default',
    run = exceptions,
    complete = function(lead, before)
      return require('lazydap.completion').of_exceptions(lead, before)
    end,
  },
  breakpoints = { help = 'list the breakpoints of the project', run = plain('breakpoints') },
  launch = {
    help = 'start a program: [NAME | PROGRAM ARGS], ? to choose; ! stop on entry',
    run = late('launching', 'launch'),
    complete = function(lead, before)
      return require('lazydap.completion').of_launch(lead, before)
    end,
  },
  attach = { help = 'debug a program that runs already: [PID | HOST:PORT]; bare: choose', run = starting('attach') },
  restart = { help = 'end the program and launch the same once more', run = starting('restart') },
  ['run-to-cursor'] = { help = 'continue to the line of the cursor', run = at_line('runto') },
  jump = { help = 'go on from the line of the cursor, executing nothing between', run = at_line('jump') },
  step = { help = 'step over, in or out', run = step_by_word, complete = among({ 'over', 'in', 'out' }) },
  next = { help = 'step over', run = step('over') },
  ['step-in'] = { help = 'step in', run = step('in') },
  ['step-out'] = { help = 'step out', run = step('out') },
  continue = { help = 'run on; with nothing live: launch', run = starting('continue') },
  pause = { help = 'stop the program where it is', run = plain('pause') },
  stop = { help = 'end the program', run = plain('stop') },
  disconnect = { help = 'let the program run on alone, where the adapter can', run = plain('disconnect') },
  shutdown = { help = "end the project's daemon, and its program with it", run = plain('shutdown') },
  here = { help = 'jump to the stop', run = plain('here') },
  threads = { help = 'list the threads', run = plain('threads') },
  thread = { help = 'look at another thread, by its number', run = choose_thread },
  values = { help = 'show values at the end of lines, or no longer', run = switch_values },
  clear = { help = 'remove all breakpoints of the project, after a question', run = clear },
  ['next-breakpoint'] = {
    help = 'go to the next breakpoint',
    run = function(options)
      require('lazydap.walking').breakpoint({ count = options.count })
    end,
  },
  ['previous-breakpoint'] = {
    help = 'go to the breakpoint before',
    run = function(options)
      require('lazydap.walking').breakpoint({ count = options.count, back = true })
    end,
  },
  stack = { help = 'list the frames', run = plain('stack') },
  up = { help = 'choose the frame that called this one', run = walk('up') },
  down = { help = 'choose the frame that this one called', run = walk('down') },
  frame = { help = 'choose a frame by number, or the one under the cursor in the stack list', run = choose_frame },
  hover = { help = 'the value under the cursor in a float', run = late('looking', 'hover') },
  eval = { help = 'a value in a float: [EXPR], the range, or what is under the cursor', run = late('looking', 'eval') },
  watch = {
    help = 'show the value of an expression at each stop; ! no longer',
    run = late('looking', 'watch'),
  },
  variables = { help = 'open or close the pane of watches and variables', run = late('panes', 'toggle', 'variables') },
  set = { help = 'give a new value: EXPR = VALUE', run = late('looking', 'set') },
  console = { help = 'open or close the evaluation prompt', run = late('console', 'toggle') },
  ui = { help = 'open or close the usual panes: variables and output', run = late('ui', 'toggle') },
  output = { help = "open or close the program's terminal or output", run = late('output', 'toggle') },
  status = { help = 'one line about the session', run = plain('status') },
  follow = {
    help = 'let this editor move with the program; ! no longer',
    run = function(options)
      host.send({ verb = 'follow', on = not options.bang })
    end,
  },
  install = {
    help = 'make the Python environment, or bring it up to date; lldb: with lldb-dap',
    run = install,
    complete = among({ 'lldb' }),
  },
  log = { help = "open the daemon's log, or the host's", run = open_log, complete = among({ 'daemon', 'host' }) },
}

--- Carry out a subcommand.
---@param name string
---@param options table as a user command gets them; args, bang, range, line1, line2 and count are read
function M.run(name, options)
  if vim.fn.has('win32') == 1 then
    say.say('Windows is not supported: the daemon needs Unix sockets', 'error')
    return
  end
  local subcommand = M.table[name]
  if not subcommand then
    say.say(('there is no :Lazydap %s; type :Lazydap and press Tab'):format(name), 'warn')
    return
  end
  subcommand.run(options)
end

--- `:Lazydap SUBCOMMAND …`
---@param options table
function M.dispatch(options)
  local name, rest = options.args:match('^%s*(%S+)%s*(.*)$')
  if not name then
    say.say('which subcommand? type :Lazydap, a blank, and press Tab', 'warn')
    return
  end
  -- Only a number that was typed is a count: without one the line is the cursor's.
  local count = options.range > 0 and options.line2 or 1
  M.run(name, vim.tbl_extend('force', options, { args = rest, count = count }))
end

--- Complete the argument of `:LazydapX`.
---@param name string the subcommand
---@param lead string the word being completed
---@param line string the command line
---@param cursor integer byte position in it
---@return string[]
function M.complete(name, lead, line, cursor)
  local subcommand = M.table[name]
  if not subcommand or not subcommand.complete then
    return {}
  end
  local before = line:sub(1, cursor - #lead):match('Lazydap%a*!?%s+(.*)$') or ''
  return subcommand.complete(lead, before)
end

--- Complete `:Lazydap …`: the subcommand, then its argument.
---@param lead string
---@param line string
---@param cursor integer
---@return string[]
function M.complete_any(lead, line, cursor)
  local before = line:sub(1, cursor - #lead):match('Lazydap!?%s+(.*)$') or ''
  local name, rest = before:match('^(%S+)%s+(.*)$')
  if name then
    local subcommand = M.table[name]
    return subcommand and subcommand.complete and subcommand.complete(lead, rest) or {}
  end
  local names = among(vim.tbl_keys(M.table))(lead)
  table.sort(names)
  return names
end

return M
