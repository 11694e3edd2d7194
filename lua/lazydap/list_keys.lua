--- Owns the keys in our lists of breakpoints, stack and threads; in any other list each does what it always does.

local host = require('lazydap.host')
local lists = require('lazydap.lists')
local say = require('lazydap.say')
local state = require('lazydap.state')

local M = {}

local QUESTION = { condition = 'Stop if: ', hit_condition = 'Stop at hit (3, >=3, %2): ', log_message = 'Log: ' }

--- What an entry of the list stands for: a breakpoint on a line, else what the entry itself tells of its own.
---@param item table
---@return table?
local function breakpoint_of(item)
  if item.kind then
    return item
  end
  for _, breakpoint in ipairs(state.get().breakpoints) do
    if breakpoint.id == item.id and breakpoint.root == item.root then
      return breakpoint
    end
  end
end

--- Tell the host what is to become of an exception filter, which has no id.
---@param filter table its entry
---@param what table
local function change_filter(filter, what)
  local message = { verb = 'filter', root = filter.root, adapter = filter.adapter, filter = filter.filter }
  host.send(vim.tbl_extend('error', message, what))
end

---@param breakpoints table[]
local function remove(breakpoints)
  local ids = {} ---@type table<string, integer[]>
  for _, breakpoint in ipairs(breakpoints) do
    if breakpoint.kind == 'exceptions' then
      change_filter(breakpoint, { remove = true })
    else
      ids[breakpoint.root] = ids[breakpoint.root] or {}
      table.insert(ids[breakpoint.root], breakpoint.id)
      if breakpoint.kind ~= 'data' then
        local func = breakpoint.kind == 'function' and breakpoint.name or nil
        require('lazydap.breaking').remember({ vim.tbl_extend('force', breakpoint, { func = func }) })
      end
    end
  end
  for root, of_root in pairs(ids) do
    host.send({ verb = 'unbreak', file = breakpoints[1].path, ids = of_root, root = root })
  end
end

---@param breakpoint table
local function switch(breakpoint)
  if breakpoint.kind == 'exceptions' then
    change_filter(breakpoint, {})
    return
  end
  -- Its own state: one that is muted with all the others is drawn as disabled as well.
  local verb = breakpoint.enabled == false and 'enable' or 'disable'
  host.send({ verb = verb, file = breakpoint.path, ids = { breakpoint.id }, root = breakpoint.root })
end

---@param part string
---@return fun(breakpoints: table[])
local function ask(part)
  return function(breakpoints)
    local breakpoint = breakpoints[1]
    local refusal = (breakpoint.refused or {})[part]
    if refusal then
      say.say(refusal, 'warn')
      return
    end
    vim.ui.input({ prompt = QUESTION[part], default = breakpoint[part] or '' }, function(answer)
      if answer and breakpoint.kind == 'exceptions' then
        change_filter(breakpoint, { [part] = vim.trim(answer) })
      elseif answer then
        host.send({
          verb = 'break',
          file = breakpoint.path,
          line = breakpoint.asked_line or breakpoint.line,
          ids = { breakpoint.id },
          root = breakpoint.root,
          parts = { [part] = vim.trim(answer) },
        })
      end
    end)
  end
end

---@type table<string, {modes: string, help: string, run: fun(breakpoints: table[])}>
M.keys = {
  dd = { modes = 'n', help = 'remove', run = remove },
  d = { modes = 'x', help = 'remove', run = remove },
  t = {
    modes = 'n',
    help = 'enable or disable',
    run = function(breakpoints)
      switch(breakpoints[1])
    end,
  },
  c = { modes = 'n', help = 'condition', run = ask('condition') },
  H = { modes = 'n', help = 'hit count', run = ask('hit_condition') },
  L = { modes = 'n', help = 'log text', run = ask('log_message') },
}

---@param key string
local function fall_through(key)
  vim.api.nvim_feedkeys(vim.keycode(key), 'n', false)
end

---@param key string
---@return fun()
local function on_breakpoints(key)
  return function()
    local first, last = vim.fn.line('v'), vim.fn.line('.')
    local items = lists.items('breakpoints', math.min(first, last), math.max(first, last))
    local breakpoints = vim.iter(items or {}):map(breakpoint_of):totable()
    if #breakpoints == 0 then
      fall_through(key)
      return
    end
    if vim.api.nvim_get_mode().mode ~= 'n' then
      vim.cmd('normal! \27')
    end
    M.keys[key].run(breakpoints)
  end
end

local function on_return()
  local line = vim.fn.line('.')
  for kind, verb in pairs({ stack = 'frame', threads = 'thread' }) do
    local item = (lists.items(kind, line, line) or {})[1]
    if item and item.id then
      host.send({ verb = verb, id = item.id })
      return
    end
  end
  fall_through('<CR>')
end

--- Set the keys in a quickfix or location list buffer.
---@param buffer integer
function M.set(buffer)
  if vim.b[buffer].lazydap_keys then
    return
  end
  vim.b[buffer].lazydap_keys = true
  for key, entry in pairs(M.keys) do
    vim.keymap.set(entry.modes, key, on_breakpoints(key), { buffer = buffer, desc = 'lazydap: ' .. entry.help })
  end
  vim.keymap.set('n', '<CR>', on_return, { buffer = buffer, desc = 'lazydap: go there' })
end

return M
