--- Owns the buffer with the program's output: writes what the host sends, in colour, and goes along with its end.

local host = require('lazydap.host')

local M = {}

local namespace = vim.api.nvim_create_namespace('lazydap_output')
local buffer ---@type integer?
local has_heading = false -- the first line says how many were dropped

-- The sixteen basic colours by the names a colour scheme gives its terminal, where it does.
local BASIC = {
  [0] = '#000000',
  '#cd3131',
  '#0dbc79',
  '#e5e510',
  '#2472c8',
  '#bc3fbc',
  '#11a8cd',
  '#e5e5e5',
  '#666666',
  '#f14c4c',
  '#23d18b',
  '#f5f543',
  '#3b8eea',
  '#d670d6',
  '#29b8db',
  '#ffffff',
}
local CUBE = { [0] = 0, 95, 135, 175, 215, 255 }
local STREAMS = { stderr = 'LazydapOutputError', console = 'LazydapOutputNote' }

---@param number integer of the 256 colours
---@return string
local function colour(number)
  if number < 16 then
    return vim.g['terminal_color_' .. number] or BASIC[number]
  elseif number < 232 then
    local rest = number - 16
    local red, green, blue = math.floor(rest / 36), math.floor(rest / 6) % 6, rest % 6
    return ('#%02x%02x%02x'):format(CUBE[red], CUBE[green], CUBE[blue])
  end
  local grey = 8 + (number - 232) * 10
  return ('#%02x%02x%02x'):format(grey, grey, grey)
end

local groups = {} ---@type table<string, string>

--- The highlight group of a style: parts such as `f1`, `b231`, `fx00ff00`, `bold`, joined by `_`.
---@param style string
---@return string
local function group_of(style)
  if STREAMS[style] or groups[style] then
    return STREAMS[style] or groups[style]
  end
  local attributes = {} ---@type vim.api.keyset.highlight
  for part in style:gmatch('[^_]+') do
    local kind, number = part:match('^([fb])(%d+)$')
    local other, hex = part:match('^([fb])x(%x+)$')
    if kind or other then
      local value = kind and colour(tonumber(number) --[[@as integer]]) or ('#' .. hex)
      attributes[(kind or other) == 'f' and 'fg' or 'bg'] = value
      if kind and tonumber(number) < 16 then
        attributes[kind == 'f' and 'ctermfg' or 'ctermbg'] = tonumber(number)
      end
    else
      attributes[part] = true
    end
  end
  local name = 'LazydapOutput_' .. style
  vim.api.nvim_set_hl(0, name, attributes)
  groups[style] = name
  return name
end

--- Make the buffer.
---@return integer
function M.create()
  buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].filetype = 'lazydap-output'
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].undolevels = -1
  for _, key in ipairs({ 'i', 'a', 'I', 'A', 'o', 'O' }) do
    vim.keymap.set('n', key, function()
      require('lazydap.say').say('no input here: :help lazydap-terminal gives a program one, :LazydapConsole evaluates')
    end, { buffer = buffer, desc = 'lazydap: no input' })
  end
  vim.api.nvim_create_autocmd('ColorScheme', {
    buffer = buffer,
    callback = function()
      groups = {}
    end,
  })
  return buffer
end

---@return integer[] windows whose cursor stands on the last line: they go along
local function followers()
  local last = vim.api.nvim_buf_line_count(buffer)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(buffer))
end

---@param lines table[] text and spans
---@param first integer row of the first
local function colour_in(lines, first)
  for offset, line in ipairs(lines) do
    for _, span in ipairs(line[2]) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, first + offset - 1, span[1], {
        end_col = span[2],
        hl_group = group_of(span[3]),
        strict = false,
      })
    end
  end
end

---@param lost integer
local function write_heading(lost)
  local text = lost > 0 and { ('… %d lines were dropped here'):format(lost) } or {}
  vim.api.nvim_buf_set_lines(buffer, 0, has_heading and 1 or 0, false, text)
  has_heading = lost > 0
  if has_heading then
    vim.api.nvim_buf_set_extmark(buffer, namespace, 0, 0, { end_col = #text[1], hl_group = 'LazydapOutputNote' })
  end
end

---@param piece table
local function write(piece)
  local windows = followers()
  vim.bo[buffer].modifiable = true
  if piece.reset then
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, {})
    has_heading = false
  end
  local offset = has_heading and 1 or 0
  if piece.drop > 0 then
    vim.api.nvim_buf_set_lines(buffer, offset, offset + piece.drop, false, {})
  end
  local texts = vim.tbl_map(function(line)
    return line[1]
  end, piece.lines)
  local first = offset + piece.first
  vim.api.nvim_buf_clear_namespace(buffer, namespace, first, -1)
  vim.api.nvim_buf_set_lines(buffer, first, -1, false, texts)
  colour_in(piece.lines, first)
  if piece.lost > 0 then
    write_heading(piece.lost)
  end
  vim.bo[buffer].modifiable = false
  local last = vim.api.nvim_buf_line_count(buffer)
  for _, window in ipairs(windows) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

--- Write a piece of output, and say that it is written: the host sends the next one then.
---@param json string
function M.take(json)
  local piece = vim.json.decode(json, { luanil = { object = true, array = true } })
  if buffer and vim.api.nvim_buf_is_valid(buffer) then
    require('lazydap.highlights').ensure()
    write(piece)
    require('lazydap.panes').set_title('output', piece.title)
  end
  host.tell({ verb = 'printed' })
end

--- `:LazydapOutput`: the program's terminal where it has one, else what it has printed.
function M.toggle()
  if require('lazydap.terminal').toggle() then
    return
  end
  require('lazydap.panes').toggle('output')
end

return M
