--- Owns the commands that put, change and remove breakpoints: from a command line to one message for the host.

local breakpoints = require('lazydap.breakpoints')
local buffers = require('lazydap.buffers')
local grammar = require('lazydap.grammar')
local host = require('lazydap.host')
local say = require('lazydap.say')
local state = require('lazydap.state')

local M = {}

local QUESTION = { condition = 'Stop if: ', hit_condition = 'Stop at hit (3, >=3, %2): ', log_message = 'Log: ' }

---@class lazydap.Target
---@field path string
---@field first integer
---@field last integer
---@field standing? lazydap.Breakpoint[] those on the lines now; nil when the state knows none of this file

---@param path string
---@param first integer
---@param last integer
---@return lazydap.Target
local function target(path, first, last)
  local found = { path = path, first = first, last = last } ---@type lazydap.Target
  if #state.of_path('breakpoints', path) == 0 then
    return found
  end
  found.standing = {}
  local buffer = buffers.of_path(path)
  if buffer then
    local seen = {} ---@type table<table, true>
    for _, standing in ipairs(breakpoints.standing(buffer)) do
      if standing.row >= first - 1 and standing.row < last and not seen[standing.breakpoint] then
        seen[standing.breakpoint] = true
        table.insert(found.standing, standing.breakpoint)
      end
    end
    return found
  end
  for _, breakpoint in ipairs(state.of_path('breakpoints', path)) do
    local line = breakpoint.asked_line or breakpoint.line
    if line >= first and line <= last then
      table.insert(found.standing, breakpoint)
    end
  end
  return found
end

--- The lines of a command in the current buffer; says so when that is no ordinary file.
---@param options table as a user command gets it
---@return lazydap.Target?
local function target_here(options)
  local path = buffers.path(0)
  if not path then
    say.say('breakpoints go into files: this buffer is none', 'warn')
    return nil
  end
  local first, last = options.line1, options.line2
  if options.range == 0 then
    first = vim.api.nvim_win_get_cursor(0)[1]
    last = first
  end
  local end_of_buffer = vim.api.nvim_buf_line_count(0)
  return target(path, math.min(first, end_of_buffer), math.min(last, end_of_buffer))
end

--- Send the message once for each project that has breakpoints on the lines; ids are counted by project.
---@param where lazydap.Target
---@param message table
local function send(where, message)
  local roots, by_root = {}, {} ---@type string[], table<string, integer[]>
  for _, breakpoint in ipairs(where.standing or {}) do
    if not by_root[breakpoint.root] then
      by_root[breakpoint.root] = {}
      roots[#roots + 1] = breakpoint.root
    end
    table.insert(by_root[breakpoint.root], breakpoint.id)
  end
  message.file = where.path
  if #roots == 0 then
    message.ids = where.standing and {} or nil
    host.send(message)
    return
  end
  for _, root in ipairs(roots) do
    host.send(vim.tbl_extend('force', message, { root = root, ids = by_root[root] }))
  end
end

--- Ask for the parts that were left without text, one after the other, then go on. A question that is left by Escape
--- leaves the whole command.
---@param wanted string[]
---@param old table the breakpoint that is there, or an empty table
---@param parts table<string, string>
---@param go_on fun(parts: table<string, string>)
local function ask(wanted, old, parts, go_on)
  local function next_question(index)
    local part = wanted[index]
    if not part then
      go_on(parts)
      return
    end
    vim.ui.input({ prompt = QUESTION[part], default = old[part] or '' }, function(answer)
      if answer then
        parts[part] = vim.trim(answer)
        next_question(index + 1)
      end
    end)
  end
  next_question(1)
end

--- The text by which a new breakpoint is found again; nil where the file is not loaded.
---@param where lazydap.Target
---@return string?
local function anchor_of(where)
  local buffer = buffers.of_path(where.path)
  return buffer and require('lazydap.anchors').of(buffer, where.first - 1) or nil
end

---@param request lazydap.BreakRequest
---@param where lazydap.Target
local function send_break(request, where)
  local is_range = where.first ~= where.last
  ask(request.ask, where.standing and where.standing[1] or {}, request.parts, function(parts)
    send(where, {
      verb = 'break',
      line = not is_range and where.first or nil,
      first = is_range and where.first or nil,
      last = is_range and where.last or nil,
      place = request.place ~= nil or nil,
      anchor = not is_range and #(where.standing or {}) == 0 and anchor_of(where) or nil,
      parts = next(parts) and parts or nil,
      older = not is_range and require('lazydap.origin').in_programs(where.path, where.first) or nil,
    })
  end)
end

--- The file of FILE:LINE, relative to the current directory; of a bare `:LINE` this one.
---@param place lazydap.BreakPlace
---@return string? path
local function file_of(place)
  if place.file == '' then
    return buffers.path(0)
  end
  return buffers.real_path(vim.fn.fnamemodify(place.file, ':p'))
end

---@param request lazydap.BreakRequest
---@param options table
local function break_at_place(request, options)
  if options.range > 0 and options.line1 ~= options.line2 then
    say.say('give a range or a place, not both', 'warn')
    return
  end
  if request.place.func then
    -- What the function's breakpoint has now only the host can find out.
    local questions = {}
    for _, part in ipairs(request.ask) do
      questions[part] = QUESTION[part]
    end
    host.send({
      verb = 'break',
      ['function'] = request.place.func,
      parts = next(request.parts) and request.parts or nil,
      ask = next(questions) and questions or nil,
    })
    return
  end
  local path = file_of(request.place)
  if not path then
    say.say('breakpoints go into files: this buffer is none', 'warn')
  elseif not vim.uv.fs_stat(path) and not buffers.of_path(path) then
    say.say(('there is no file %s'):format(request.place.file), 'warn')
  else
    send_break(request, target(path, request.place.line, request.place.line))
  end
end

--- Remember what had a condition or text as the command that puts it back.
---@param breakpoints table[] path and line, or func
function M.remember(breakpoints)
  for _, breakpoint in ipairs(breakpoints) do
    if breakpoint.condition or breakpoint.hit_condition or breakpoint.log_message then
      local place = breakpoint.func and {}
        or { path = vim.fn.fnamemodify(breakpoint.path, ':.'), line = breakpoint.asked_line or breakpoint.line }
      vim.fn.histadd(':', grammar.format(vim.tbl_extend('force', breakpoint, place)))
    end
  end
end

---@param options table
local function remove(options)
  if vim.trim(options.args) ~= '' then
    say.say('with ! only lines are given: :[range]LazydapBreak!', 'warn')
    return
  end
  local where = target_here(options)
  if where then
    M.remember(where.standing or {})
    send(where, { verb = 'unbreak', first = where.first, last = where.last })
  end
end

--- `:[range]LazydapBreak[!] …`
---@param options table as a user command gets it
function M.toggle(options)
  if options.bang then
    remove(options)
    return
  end
  local request, fault = grammar.parse(options.args)
  if not request then
    say.say(fault or 'cannot read this', 'warn')
    return
  end
  if request.place then
    break_at_place(request, options)
    return
  end
  local where = target_here(options)
  if not where then
    return
  end
  if where.first ~= where.last and not next(request.parts) and #request.ask == 0 then
    say.say('one breakpoint a line: give one line, or if, hit, log to change those in the range', 'warn')
    return
  end
  if where.first == where.last and not next(request.parts) and #request.ask == 0 then
    M.remember(where.standing or {})
  end
  send_break(request, where)
end

--- `:[range]LazydapEnable[!]` and `:[range]LazydapDisable[!]`
---@param verb 'enable'|'disable'
---@param options table
function M.switch(verb, options)
  if options.bang then
    host.send({ verb = verb, all = true })
    return
  end
  local where = target_here(options)
  if where then
    send(where, { verb = verb, first = where.first, last = where.last })
  end
end

return M
