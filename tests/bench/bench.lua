-- Owns the stop watch inside the editor: from a step key to the moment its arrow and its values are drawn.
local M = {}
local channel, began

local function tell(what)
  if began then
    vim.rpcnotify(channel, 'drawn', what, (vim.uv.hrtime() - began) / 1e6)
  end
end

--- Note when a batch has been drawn; `listener` is the channel that is told.
function M.watch(listener)
  channel = listener
  local draw = require('lazydap.draw')
  local apply = draw.apply
  draw.apply = function(json)
    apply(json)
    local batch = vim.json.decode(json)
    if batch.stops and #batch.stops > 0 then
      tell('stop')
    end
    if batch.values and #batch.values > 0 and not batch.values[1].stale then
      tell('values')
    end
  end
  vim.keymap.set('n', '<F10>', function()
    began = vim.uv.hrtime()
    vim.cmd('LazydapStep')
  end)
end

return M
