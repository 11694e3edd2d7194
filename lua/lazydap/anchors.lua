--- Owns the text by which a breakpoint or an arrow is found again in a buffer; knows no mark and no breakpoint.
---
--- An anchor is three lines: the nearest line above that is not blank, the line itself, the nearest one below
--- (doc/protocol.md, "Features").

local M = {}

local REACH = 200 -- lines above and below the old one in which a text is looked for
local BLANKS = 50 -- blank lines in a row that an anchor looks across
local LONGEST = 200 -- characters of a line
local TELLING = 3 -- letters and digits that make a line more than a bracket

---@param line string
---@return string
local function kept(line)
  line = vim.trim(line)
  return #line > LONGEST and vim.fn.strcharpart(line, 0, LONGEST) or line
end

--- What of a line a formatter leaves alone.
---@param line string
---@return string
local function bare(line)
  -- Trimming is most of the work, and only what is cut needs it.
  local short = #line > LONGEST and kept(line) or line
  return (short:gsub('%s+', ''):gsub("'", '"'):gsub('[,;]$', ''))
end

---@param text string
---@return boolean
local function is_telling(text)
  return select(2, text:gsub('%w', '')) >= TELLING
end

---@param lines string[]
---@param first integer
---@param last integer
---@param step integer
---@return string
local function nearest_text(lines, first, last, step)
  for index = first, last, step do
    if lines[index]:find('%S') then
      return lines[index]
    end
  end
  return ''
end

--- The anchor of a row; nil for a blank line.
---@param buffer integer
---@param row integer
---@return string?
function M.of(buffer, row)
  local first = math.max(row - BLANKS, 0)
  local lines = vim.api.nvim_buf_get_lines(buffer, first, row + BLANKS + 1, false)
  local at = row - first + 1
  if not lines[at] or not lines[at]:find('%S') then
    return nil
  end
  local above = nearest_text(lines, at - 1, 1, -1)
  local below = nearest_text(lines, at + 1, #lines, 1)
  return table.concat({ kept(above), kept(lines[at]), kept(below) }, '\n')
end

--- Whether the row has the anchor's own line.
---@param buffer integer
---@param row integer
---@param anchor string
---@return boolean
function M.stands_at(buffer, row, anchor)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  return line ~= nil and bare(line) == bare(vim.split(anchor, '\n', { plain = true })[2] or '')
end

---@class lazydap.Text what of a buffer is searched: its lines that are not blank
---@field rows integer[]
---@field bare string[]

---@param buffer integer
---@param row integer
---@return lazydap.Text
local function text_around(buffer, row)
  local text = { rows = {}, bare = {} } ---@type lazydap.Text
  local first = math.max(row - REACH, 0)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, first, row + REACH + 1, false)) do
    if line:find('%S') then
      text.rows[#text.rows + 1] = first + index - 1
      text.bare[#text.bare + 1] = bare(line)
    end
  end
  return text
end

---@param wanted string a neighbour in the anchor
---@param above? string
---@param below? string
---@return integer
local function agreement(wanted, above, below)
  return is_telling(wanted) and (wanted == above or wanted == below) and 1 or 0
end

---@class lazydap.Candidate
---@field row integer
---@field score integer neighbours that are the anchor's
---@field distance integer

---@param a? lazydap.Candidate
---@param b lazydap.Candidate
---@return boolean
local function is_better(a, b)
  return not a or b.score > a.score or b.score == a.score and b.distance < a.distance
end

--- The row of the anchor's line near an old row, best by its neighbours, then nearest. Where the line itself is
--- nowhere, one that stands between both its neighbours is taken for it, changed.
---
--- One equal line among others proves nothing: a neighbour has to agree as well, and for a line that says little, both.
--- Without neighbours a line counts when it is the only one of its text, unless it is known that there are `twins`: an
--- old line that was deleted must not be taken for a line that has been elsewhere all the time.
---@param buffer integer
---@param row integer
---@param anchor string
---@param twins? integer equal lines that are known to be others
---@return integer? row
---@return integer twins equal lines that were found
function M.find(buffer, row, anchor, twins)
  local parts = vim.tbl_map(bare, vim.split(anchor, '\n', { plain = true }))
  local above, own, below = parts[1] or '', parts[2] or '', parts[3] or ''
  local text = text_around(buffer, row)
  local best, count ---@type lazydap.Candidate?, integer
  local changed ---@type lazydap.Candidate?
  count = 0
  for index, line in ipairs(text.bare) do
    local before, after = text.bare[index - 1], text.bare[index + 1]
    local distance = math.abs(text.rows[index] - row)
    if line == own and own ~= '' then
      count = count + 1
      local score = agreement(above, before, after) + agreement(below, before, after)
      local candidate = { row = text.rows[index], score = score, distance = distance }
      best = is_better(best, candidate) and candidate or best
    elseif before == above and after == below and is_telling(above) and is_telling(below) then
      local candidate = { row = text.rows[index], score = 0, distance = distance }
      changed = is_better(changed, candidate) and candidate or changed
    end
  end
  local is_proven = best and best.score >= (is_telling(own) and 1 or 2)
  local is_alone = best and count == 1 and (twins or 0) == 0 and is_telling(own)
  if best and (is_proven or is_alone) then
    return best.row, count
  end
  return changed and changed.row or nil, count
end

--- The texts around a blank row, which has none of its own: the nearest above and below; nil for any other row.
---@param buffer integer
---@param row integer
---@return {above: string, below: string}?
local function gap_at(buffer, row)
  local first = math.max(row - BLANKS, 0)
  local lines = vim.api.nvim_buf_get_lines(buffer, first, row + BLANKS + 1, false)
  local at = row - first + 1
  if not lines[at] or lines[at]:find('%S') then
    return nil
  end
  return { above = bare(nearest_text(lines, at - 1, 1, -1)), below = bare(nearest_text(lines, at + 1, #lines, 1)) }
end

--- The blank row nearest to an old one that lies between the same texts.
---@param buffer integer
---@param row integer
---@param gap {above: string, below: string}
---@return integer? row
local function find_gap(buffer, row, gap)
  for distance = 0, REACH do
    for _, candidate in ipairs({ row - distance, row + distance }) do
      local there = candidate >= 0 and gap_at(buffer, candidate)
      if there and there.above == gap.above and there.below == gap.below then
        return candidate
      end
    end
  end
  -- Its neighbours are others now; its number is all that is left of it.
  return gap_at(buffer, row) and row or nil
end

--- How many other lines near a row have its text, where its neighbours cannot tell them apart; nil where they can.
---@param buffer integer
---@param row integer
---@param anchor string
---@return integer?
local function twins_of(buffer, row, anchor)
  local above, own, below = unpack(vim.split(anchor, '\n', { plain = true }))
  if is_telling(above) or is_telling(below) or not is_telling(own) then
    return nil
  end
  local count, wanted = 0, bare(own)
  for _, line in ipairs(text_around(buffer, row).bare) do
    count = count + (line == wanted and 1 or 0)
  end
  return count - 1
end

---@class lazydap.Remembered
---@field told integer           row where the line was last
---@field anchor? string
---@field gap? {above: string, below: string} of a blank line
---@field twins? integer         lines of its text that are others

--- Keep what finds the line of a row again.
---@param buffer integer
---@param remembered lazydap.Remembered
---@param row integer
function M.remember(buffer, remembered, row)
  remembered.anchor = M.of(buffer, row) or remembered.anchor
  remembered.gap = gap_at(buffer, row)
  remembered.twins = remembered.anchor and twins_of(buffer, row, remembered.anchor)
end

--- Where the line is whose mark was taken away.
---@param buffer integer
---@param remembered lazydap.Remembered
---@param was_deleted boolean by an edit: then what had the same text before is another line
---@return integer? row
function M.recover(buffer, remembered, was_deleted)
  if remembered.gap then
    return find_gap(buffer, remembered.told, remembered.gap)
  end
  if not remembered.anchor then
    return nil
  end
  local known = was_deleted and (remembered.twins or math.huge) or nil
  local row, twins = M.find(buffer, remembered.told, remembered.anchor, known)
  remembered.twins = row == nil and (remembered.twins or twins) or nil
  return row
end

return M
