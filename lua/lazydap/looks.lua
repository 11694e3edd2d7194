--- Owns what a breakpoint, a stop and a frame look like: glyph, state, words and highlight; places nothing.

local text = require('lazydap.text')

local M = {}

local GLYPHS = {
  line = { filled = '●', hollow = '○' },
  condition = { filled = '◆', hollow = '◇' },
  log = { filled = '■', hollow = '□' },
  stop = '▶',
  frame = '▷',
}
local LETTERS = {
  line = { filled = 'B', hollow = 'b' },
  condition = { filled = 'C', hollow = 'c' },
  log = { filled = 'L', hollow = 'l' },
  stop = '>',
  frame = ')',
}

-- `rank`: which of several breakpoints on one line is shown, lowest first.
local LOOKS = {
  verified = { fill = 'filled', mark = ' ', group = 'LazydapBreakpointVerified', rank = 1 },
  moved = { fill = 'filled', mark = '~', group = 'LazydapBreakpointMoved', rank = 2 },
  idle = { fill = 'filled', mark = ' ', group = 'LazydapBreakpoint', rank = 3 },
  pending = { fill = 'hollow', mark = '?', group = 'LazydapBreakpointPending', rank = 4 },
  rejected = { fill = 'hollow', mark = '!', group = 'LazydapBreakpointRejected', rank = 5 },
  disabled = { fill = 'hollow', mark = '-', group = 'LazydapBreakpointDisabled', rank = 6 },
  lost = { fill = 'hollow', mark = '~', group = 'LazydapBreakpointMoved', rank = 7 },
}

local MOST_WORDS = 80 -- screen cells of the adapter's words at the end of a line

--- The glyphs to draw with: letters where one of the glyphs takes two cells here.
---@param options table
---@return table
function M.glyphs(options)
  if options.ascii_signs then
    return LETTERS
  end
  for _, glyph in ipairs({ '●', '○', '◆', '◇', '■', '□', '▶', '▷' }) do
    if vim.api.nvim_strwidth(glyph) ~= 1 then
      return LETTERS
    end
  end
  return GLYPHS
end

---@param entry table
---@param is_lost? boolean
---@return table look
local function look_of(entry, is_lost)
  return is_lost and LOOKS.lost or LOOKS[entry.state] or LOOKS.idle
end

--- Which of several breakpoints on one line is shown: the one with the lowest rank.
---@param spec lazydap.Spec
---@return integer
function M.rank(spec)
  return look_of(spec.entry, spec.is_lost).rank
end

---@field stop? lazydap.Spec
---@field frame? lazydap.Spec
---@field breakpoint? lazydap.Spec the one that is shown


---@param spec lazydap.Spec
---@return string? words what the adapter has to say about it
local function words_of(spec)
  local breakpoint = spec.entry
  local words
  if breakpoint.state == 'pending' or breakpoint.state == 'moved' or breakpoint.state == 'rejected' then
    words = breakpoint.message or breakpoint.text
  elseif breakpoint.state == 'verified' then
    -- It binds, and something is wrong with it all the same: a condition that cannot be tried.
    words = breakpoint.message
  end
  local asked = breakpoint.asked_line or breakpoint.line
  local note
  if spec.is_past_end then
    note = ('line %d is past the end of the file: :LazydapBreak! here takes it away'):format(spec.line)
  elseif spec.is_lost then
    note = 'its line is gone: undo brings it back, :LazydapBreak! here takes it away'
  elseif breakpoint.line ~= asked then
    note = ('asked for line %d'):format(asked)
  end
  if words and words ~= '' and note then
    words = ('%s (%s)'):format(words, note)
  else
    words = words ~= '' and words or note
  end
  return words and text.cut(text.one_line(words), MOST_WORDS)
end

--- How a breakpoint is drawn.
---@param spec lazydap.Spec
---@param row lazydap.Row
---@param glyph table
---@param priority integer
---@return vim.api.keyset.set_extmark
function M.breakpoint(spec, row, glyph, priority)
  local look = look_of(spec.entry, spec.is_lost)
  local options = { priority = priority, invalidate = true, number_hl_group = look.group }
  if row.breakpoint == spec and not row.stop and not row.frame then
    options.sign_text = (glyph[spec.entry.kind] or glyph.line)[look.fill] .. look.mark
    options.sign_hl_group = look.group
  end
  local words = words_of(spec)
  if words then
    local is_trouble = spec.entry.state == 'verified' and spec.entry.message
    options.virt_text = { { ' ' .. words, is_trouble and LOOKS.rejected.group or look.group } }
  end
  return options
end

--- What an arrow alone does not say: the exception, the function without a source that was called from here, and what
--- has become of the line.
---@param spec lazydap.Spec
---@return string?
local function arrow_words(spec)
  local words, place = {}, spec.entry
  if place.text and place.text ~= '' then
    words[1] = place.text
  end
  if place.inner and place.inner ~= '' then
    words[#words + 1] = 'in ' .. place.inner
  end
  words[#words + 1] = spec.note
  return #words > 0 and text.cut(text.one_line(table.concat(words, ', ')), MOST_WORDS) or nil
end

--- How a stop or a frame is drawn.
---@param spec lazydap.Spec
---@param row lazydap.Row
---@param glyph table
---@param priority integer
---@return vim.api.keyset.set_extmark
function M.arrow(spec, row, glyph, priority)
  local is_stop = spec.role == 'stop'
  local options = {
    priority = priority + (is_stop and 20 or 10),
    invalidate = true,
    undo_restore = false,
    line_hl_group = is_stop and 'LazydapStoppedLine' or nil,
  }
  if row.stop == spec or row.frame == spec and not row.stop then
    local second = ' '
    if row.breakpoint then
      local entry = row.breakpoint.entry
      second = (glyph[entry.kind] or glyph.line)[look_of(entry, row.breakpoint.is_lost).fill]
    end
    options.sign_text = glyph[spec.role] .. second
    options.sign_hl_group = is_stop and 'LazydapStopped' or 'LazydapFrame'
  end
  local words = arrow_words(spec)
  if words then
    options.virt_text = { { ' ' .. words, is_stop and 'LazydapStopped' or 'LazydapFrame' } }
  end
  return options
end

return M
