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

return M
