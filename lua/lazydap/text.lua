--- Owns cutting text to screen cells; knows no buffer.

local M = {}

--- `text` on one line: line breaks and tabs become blanks, other control characters go.
---@param text string
---@return string
function M.one_line(text)
  return (text:gsub('[\r\n\t]+', ' '):gsub('%c', ''))
end

--- `text` in at most `cells` screen cells, with `…` at its end when something was cut.
---@param text string one line
---@param cells integer at least 1
---@return string
function M.cut(text, cells)
  -- A byte is never wider than a cell once control characters are gone, so most texts need no measuring.
  if #text <= cells or vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local mark = '…'
  local room = cells - vim.fn.strdisplaywidth(mark)
  local low, high = 0, math.min(vim.fn.strchars(text), math.max(room, 0))
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, middle)) <= room then
      low = middle
    else
      high = middle - 1
    end
  end
  return vim.fn.strcharpart(text, 0, low) .. mark
end

--- A message in at most `cells` screen cells: whole where it fits. A longer one keeps its beginning, which says what
--- has happened, and the cure behind its last colon where at least half of the room is left for the beginning; what is
--- cut away is marked. Nothing stands there twice.
---@param text string one line
---@param cells integer
---@return string
function M.cut_message(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local tail = text:match('^.+(: .-)$') or text:match('^.+( :%a.-)$')
  local room = tail and cells - vim.fn.strdisplaywidth(tail) or 0
  if not tail or room * 2 < cells then
    return M.cut(text, cells)
  end
  return M.cut(text:sub(1, #text - #tail), room) .. tail
end

return M
