--- Owns the text by which a breakpoint or an arrow is found again in a buffer; knows no mark and no breakpoint.
---
--- An anchor is three lines: the nearest line above that is not blank, the line itself, the nearest one below
--- (doc/protocol.md, "Features").

local M = {}

local REACH = 200 -- lines above and below the old one in which a text is looked for
local BLANKS = 50 -- blank lines in a row that an anchor looks across
local LONGEST = 200 -- characters of a line
local MOST_FORMS = 2000 -- lines whose form is kept
local WORD = '[%w_\128-\255]' -- a letter of a name
local TELLING = 3 -- letters and digits that make a line more than a bracket

---@param line string
---@return string
local function kept(line)
  line = vim.trim(line)
  return #line > LONGEST and vim.fn.strcharpart(line, 0, LONGEST) or line
end

---@param line string
---@return string
local function stripped(line)
  -- Trimming is most of the work, and only what is cut needs it.
  local short = #line > LONGEST and kept(line) or line
  if short:find('%s') then
    short = short:gsub('%s+', '')
  end
  if short:find("'", 1, true) then
    short = short:gsub("'", '"')
  end
  return (short:gsub('[,;]$', ''))
end

local forms, form_count = {}, 0 ---@type table<string, string>, integer

--- What of a line a formatter leaves alone. Searches meet the same lines again and again.
---@param line string
---@return string
local function bare(line)
  local form = forms[line]
  if not form then
    if form_count == MOST_FORMS then
      forms, form_count = {}, 0
    end
    form = stripped(line)
    forms[line], form_count = form, form_count + 1
  end
  return form
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

---@param above string
---@param own string
---@param below string
---@return string
local function anchor_of(above, own, below)
  return table.concat({ kept(above), kept(own), kept(below) }, '\n')
end

--- A row and the nearest text above and below it.
---@param buffer integer
---@param row integer
---@return string? own nil for a row that is not there
---@return string above
---@return string below
local function around(buffer, row)
  local first = math.max(row - BLANKS, 0)
  local lines = vim.api.nvim_buf_get_lines(buffer, first, row + BLANKS + 1, false)
  local at = row - first + 1
  if not lines[at] then
    return nil, '', ''
  end
  return lines[at], nearest_text(lines, at - 1, 1, -1), nearest_text(lines, at + 1, #lines, 1)
end

--- The anchor of a row; nil for a blank line.
---@param buffer integer
---@param row integer
---@return string?
function M.of(buffer, row)
  local own, above, below = around(buffer, row)
  if not own or not own:find('%S') then
    return nil
  end
  return anchor_of(above, own, below)
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

---@class lazydap.Text what of a buffer is searched
---@field first integer row of the first line
---@field lines string[]
---@field joined? string

---@param buffer integer
---@param row integer
---@return lazydap.Text
local function text_around(buffer, row)
  local first = math.max(row - REACH, 0)
  return { first = first, lines = vim.api.nvim_buf_get_lines(buffer, first, row + REACH + 1, false) }
end

--- What every line has in it which is this one but for its form: its longest word, else a bracket.
---@param line string
---@return string? key nil for a line of quotes, which may be others
local function key_of(line)
  if #line >= LONGEST then
    -- It may have been cut within its last word.
    line = line:gsub(WORD .. '*$', '')
  end
  local longest ---@type string?
  for word in line:gmatch(WORD .. '+') do
    longest = (not longest or #word > #longest) and word or longest
  end
  return longest or bare(line):match('[^"]')
end

--- The lines of a text with that in them. It is looked for in all of them at once: one by one takes ten times as long.
---@param text lazydap.Text
---@param key string
---@return integer[] indexes
local function lines_with(text, key)
  local lines, found = text.lines, {} ---@type string[], integer[]
  text.joined = text.joined or table.concat(lines, '\n')
  local index, start = 1, 1 -- a line, and where it begins
  local at = text.joined:find(key, 1, true)
  while at do
    while at > start + #lines[index] do
      start = start + #lines[index] + 1
      index = index + 1
    end
    found[#found + 1] = index
    at = text.joined:find(key, start + #lines[index] + 1, true)
  end
  return found
end

--- Where a text has a line, whatever its form. Taking the form off every line would take a hundred times as long.
---@param text lazydap.Text
---@param wanted string
---@return integer[] indexes
local function places_of(text, wanted)
  local form, key = bare(wanted), key_of(wanted)
  local candidates = key and lines_with(text, key) or vim.tbl_keys(text.lines)
  return vim.tbl_filter(function(index)
    return form ~= '' and bare(text.lines[index]) == form
  end, candidates)
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

--- The row nearest to an old one that stands between two texts.
---@param text lazydap.Text
---@param row integer
---@param above string
---@param below string
---@return integer? row
local function changed_between(text, row, above, below)
  if not is_telling(above) or not is_telling(below) then
    return nil
  end
  local lines = text.lines
  local best ---@type integer?
  for _, place in ipairs(places_of(text, above)) do
    local index = place + 1
    while lines[index] and not lines[index]:find('%S') do
      index = index + 1
    end
    local at = text.first + index - 1
    local is_between = lines[index] and bare(nearest_text(lines, index + 1, #lines, 1)) == bare(below)
    if is_between and (not best or math.abs(at - row) < math.abs(best - row)) then
      best = at
    end
  end
  return best
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
  local parts = vim.split(anchor, '\n', { plain = true })
  local above, own, below = parts[1] or '', parts[2] or '', parts[3] or ''
  local text = text_around(buffer, row)
  local lines = text.lines
  local best ---@type lazydap.Candidate?
  local places = places_of(text, own)
  for _, index in ipairs(places) do
    local before = bare(nearest_text(lines, index - 1, 1, -1))
    local after = bare(nearest_text(lines, index + 1, #lines, 1))
    local score = agreement(bare(above), before, after) + agreement(bare(below), before, after)
    local at = text.first + index - 1
    local candidate = { row = at, score = score, distance = math.abs(at - row) }
    best = is_better(best, candidate) and candidate or best
  end
  local is_proven = best and best.score >= (is_telling(own) and 1 or 2)
  local is_alone = best and #places == 1 and (twins or 0) == 0 and is_telling(own)
  if best and (is_proven or is_alone) then
    return best.row, #places
  end
  return changed_between(text, row, above, below), #places
end

--- The blank row nearest to an old one that lies between the same texts.
---@param buffer integer
---@param row integer
---@param gap {above: string, below: string}
---@return integer? row
local function find_gap(buffer, row, gap)
  local text = text_around(buffer, row)
  local lines = text.lines
  -- Above the first line and below the last one there is nothing, which may be what was there before.
  local starts = gap.above == '' and text.first == 0 and { 0 } or places_of(text, gap.above)
  local best ---@type integer?
  for _, start in ipairs(starts) do
    local stop = start + 1
    while lines[stop] and not lines[stop]:find('%S') do
      stop = stop + 1
    end
    if bare(lines[stop] or '') == bare(gap.below) then
      for index = start + 1, stop - 1 do
        local at = text.first + index - 1
        best = (not best or math.abs(at - row) < math.abs(best - row)) and at or best
      end
    end
  end
  -- Its neighbours are others now; its number is all that is left of it.
  local own = around(buffer, row)
  return best or own and not own:find('%S') and row or nil
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
  return #places_of(text_around(buffer, row), own) - 1
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
  local own, above, below = around(buffer, row)
  local is_blank = own ~= nil and not own:find('%S')
  remembered.anchor = own and not is_blank and anchor_of(above, own, below) or remembered.anchor
  remembered.gap = is_blank and { above = kept(above), below = kept(below) } or nil
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
