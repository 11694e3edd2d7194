--- Owns the options: one table says name, type, default and meaning; knows nothing of what they are used for.
---
--- `vim.g.lazydap` is the one place where a person's choices live; `setup()` merges into it.

local M = {}

---@class lazydap.Option
---@field name string
---@field type string|string[]  Lua type(s) that are accepted
---@field default any
---@field choices? any[]        the only values, where the set is closed
---@field least? integer        smallest number that makes sense; numbers are whole
---@field most? integer         largest one
---@field entries? string       of a table: what a name in it stands for, text by text
---@field help string           one line, also in |lazydap-options|

---@type lazydap.Option[]
M.options = {
  {
    name = 'python',
    type = 'string',
    default = '',
    help = "Python 3.11+ that runs the plugin host; empty: the checkout's .venv, then stdpath('data')/lazydap/venv",
  },
  {
    name = 'host',
    type = 'string',
    default = 'job',
    choices = { 'job', 'remote-plugin' },
    help = "'job': a process of its own; 'remote-plugin': the classic way, after :UpdateRemotePlugins",
  },
  {
    name = 'debug_keys',
    type = { 'boolean', 'table' },
    default = false,
    entries = 'a command',
    help = 'true, or {key = command}: buffer-local keys while a program is live, given back afterwards',
  },
  {
    name = 'sign_priority',
    type = 'number',
    default = 4100,
    least = 0,
    most = 65500, -- Neovim counts to 65535, and the stop has 20 more
    help = 'priority of breakpoint signs; the chosen frame has 10 more, the stop 20 more',
  },
  {
    name = 'ascii_signs',
    type = 'boolean',
    default = false,
    help = 'letters in place of the glyphs; chosen by itself where a glyph is two cells wide',
  },
  {
    name = 'values',
    type = 'boolean',
    default = true,
    help = 'show values at the end of the lines of the stopped function',
  },
  {
    name = 'values_width',
    type = 'number',
    default = 60,
    least = 10,
    most = 10000,
    help = 'most screen columns that the values of one line take',
  },
  {
    name = 'lists',
    type = 'string',
    default = 'quickfix',
    choices = { 'quickfix', 'loclist' },
    help = 'where stack and breakpoints are listed',
  },
  {
    name = 'on_exit',
    type = 'string',
    default = 'keep',
    choices = { 'keep', 'ask', 'stop' },
    help = 'what becomes of a live program that this editor follows when the editor ends',
  },
  {
    name = 'terminal',
    type = 'boolean',
    default = false,
    help = 'give a program that is launched without a configuration a terminal of its own, to type into',
  },
  {
    name = 'ui',
    type = 'string',
    default = 'manual',
    choices = { 'manual', 'auto' },
    help = "'auto': the panes of :LazydapUI open when a program of this editor starts, and close at its end",
  },
}

---@param entries table
---@param option lazydap.Option
---@return string? fault of the first entry that has one
local function fault_of_entries(entries, option)
  local names = vim.tbl_keys(entries)
  table.sort(names, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, name in ipairs(names) do
    local value = entries[name]
    if type(name) ~= 'string' or name == '' then
      return ('option %s wants names, not %s'):format(option.name, vim.inspect(name))
    elseif type(value) ~= 'string' or vim.trim(value) == '' then
      return ('option %s wants %s for %s, not %s'):format(option.name, option.entries, name, vim.inspect(value))
    end
  end
end

---@param value any
---@param option lazydap.Option
---@return string? fault
local function fault_of(value, option)
  local types = type(option.type) == 'table' and option.type or { option.type } ---@type string[]
  if not vim.tbl_contains(types, type(value)) then
    return ('option %s wants a %s, not %s'):format(option.name, table.concat(types, ' or '), vim.inspect(value))
  end
  if option.choices and not vim.tbl_contains(option.choices, value) then
    local choices = table.concat(vim.tbl_map(vim.inspect, option.choices), ' or ')
    return ('option %s is %s, not %s'):format(option.name, choices, vim.inspect(value))
  end
  if type(value) == 'table' then
    return fault_of_entries(value, option)
  end
  if type(value) ~= 'number' then
    return nil
  end
  if value % 1 ~= 0 then
    return ('option %s is a whole number, not %s'):format(option.name, vim.inspect(value))
  elseif value < option.least then
    return ('option %s is at least %d, not %s'):format(option.name, option.least, vim.inspect(value))
  elseif value > option.most then
    return ('option %s is at most %d, not %s'):format(option.name, option.most, vim.inspect(value))
  end
end

--- Compare what a person chose with the table.
---@param chosen any the value of `vim.g.lazydap`
---@return table<string, any> options every option, wrong or missing ones with their default
---@return string[] faults one line each, in a stable order; empty when all is well
function M.check(chosen)
  local options, faults, known = {}, {}, {}
  if chosen ~= nil and type(chosen) ~= 'table' then
    faults[1] = 'vim.g.lazydap wants a table, not ' .. vim.inspect(chosen)
    chosen = nil
  end
  for _, option in ipairs(M.options) do
    known[option.name] = true
    local value = (chosen or {})[option.name]
    local fault = value ~= nil and fault_of(value, option) or nil
    faults[#faults + 1] = fault
    if value == nil or fault then
      value = option.default
    end
    options[option.name] = value
  end
  local unknown = vim.tbl_filter(function(name)
    return not known[name]
  end, vim.tbl_keys(chosen or {}))
  table.sort(unknown, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, name in ipairs(unknown) do
    faults[#faults + 1] = ('unknown option %s: see :help lazydap-options'):format(tostring(name))
  end
  return options, faults
end

local told = {} ---@type table<string, true>

local checked ---@type {chosen: any, options: table<string, any>}? the last check: options are asked for at each stop

--- The options as they stand now, to be read only; a fault in them is told once and the default used in its place.
---@return table<string, any>
function M.get()
  local chosen = vim.g.lazydap
  if checked and vim.deep_equal(chosen, checked.chosen) then
    return checked.options
  end
  local options, faults = M.check(chosen)
  checked = { chosen = chosen, options = options }
  for _, fault in ipairs(faults) do
    if not told[fault] then
      told[fault] = true
      require('lazydap.say').say(fault, 'warn')
    end
  end
  return options
end

--- Merge `options` into `vim.g.lazydap`; faults are told at once.
---@param options? table<string, any>
function M.merge(options)
  vim.validate({ options = { options, 'table', true } })
  -- What stands there may be anything; `get` says so of the rest, and takes the defaults for it.
  local before = type(vim.g.lazydap) == 'table' and vim.g.lazydap or {}
  vim.g.lazydap = vim.tbl_deep_extend('force', before, options or {})
  M.get()
end

return M
