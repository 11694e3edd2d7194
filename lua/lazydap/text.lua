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

--- `text` in at most `cells` screen cells, where what matters most stands at the end: behind the last colon, as a cure
--- does. The middle goes, marked by `…`.
---@param text string one line
---@param cells integer
---@return string
function M.cut_middle(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local most = math.floor(cells * 0.6)
  local name = text:match('^lazydap: ') or ''
  local rest = text:sub(#name + 1)
  local tail = rest:match('^.+(: .-)$') or rest:match('^.+( :%a.-)$')
  if not tail then
    local count = vim.fn.strchars(text)
    tail = vim.fn.strcharpart(text, count - math.floor(cells / 2))
  end
  -- A cure names its command first.
  tail = M.cut(tail, most)
  return M.cut(text, cells - vim.fn.strdisplaywidth(tail)) .. tail
end

return M
