-- Owns the stop watch inside the editor: from a step key to the moment its arrow and its values are drawn.
--
-- It gives the keys itself, so that nothing but what a person runs takes part while time is taken.
local M = {}

--- Step `turns` times, `rest` milliseconds after the values of the last stop; `listener` is told at the end.
---@param listener integer channel
---@param turns integer
---@param rest integer
function M.run(listener, turns, rest)
  local draw = require('lazydap.draw')
  local apply = draw.apply
  local began, stop
  local seen = {}

  local function key()
    if #seen == turns then
      draw.apply = apply
      vim.rpcnotify(listener, 'measured', vim.json.encode(seen))
    else
      stop = nil
      vim.api.nvim_input('<F10>')
    end
  end

  vim.keymap.set('n', '<F10>', function()
    began = vim.uv.hrtime()
    vim.cmd('LazydapStep')
  end)

  draw.apply = function(json)
    apply(json)
    local now = (vim.uv.hrtime() - began) / 1e6
    local batch = vim.json.decode(json)
    if batch.stops and #batch.stops > 0 then
      stop = stop or now
    end
    if batch.values and #batch.values > 0 and not batch.values[1].stale then
      seen[#seen + 1] = { stop or now, now }
      vim.defer_fn(key, rest)
    end
  end
  key()
end

--- Hold the step key: `keys` of them, one every `pace` milliseconds; `listener` is told 1 s after the last stop drawn.
---@param listener integer channel
---@param keys integer
---@param pace integer
function M.hold(listener, keys, pace)
  local draw = require('lazydap.draw')
  local apply = draw.apply
  local pressed, last_key, last_stop, stops = 0, 0, 0, 0
  vim.keymap.set('n', '<F10>', '<Cmd>LazydapStep<CR>')

  draw.apply = function(json)
    apply(json)
    local batch = vim.json.decode(json)
    if batch.stops and #batch.stops > 0 then
      last_stop, stops = vim.uv.hrtime(), stops + 1
    end
  end

  local timer = assert(vim.uv.new_timer())
  timer:start(
    pace,
    pace,
    vim.schedule_wrap(function()
      if pressed < keys then
        pressed, last_key = pressed + 1, vim.uv.hrtime()
        vim.api.nvim_input('<F10>')
      elseif vim.uv.hrtime() - math.max(last_stop, last_key) > 1e9 and not timer:is_closing() then
        timer:close()
        draw.apply = apply
        vim.rpcnotify(listener, 'held', (last_stop - last_key) / 1e6, stops)
      end
    end)
  )
end

local gaps = {} ---@type number[]
local watch ---@type uv.uv_timer_t?

--- Note from now on, in milliseconds, how long this editor does nothing for its user at a time.
function M.watch_gaps()
  gaps = {}
  local before = vim.uv.hrtime()
  watch = assert(vim.uv.new_timer())
  watch:start(0, 1, function()
    local now = vim.uv.hrtime()
    gaps[#gaps + 1] = (now - before) / 1e6
    before = now
  end)
end

---@return number[] milliseconds
function M.gaps()
  if watch then
    watch:close()
    watch = nil
  end
  return gaps
end

return M
