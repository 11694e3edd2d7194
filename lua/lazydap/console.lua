--- Owns the evaluation prompt: a small buffer that is typed in, with history, above it what was asked and answered.

local host = require('lazydap.host')
local panes = require('lazydap.panes')

local M = {}

local MOST_LINES, MOST_HISTORY = 5000, 200
local LEAD, NEXT_LEAD = '» ', '… '

local namespace = vim.api.nvim_create_namespace('lazydap_console')
local transcript, prompt ---@type integer?, integer?
local number = 0
local pending = {} ---@type table<integer, integer> entry to the mark of the row where its answer belongs
local entries = {} ---@type table<integer, {text: string, mark: integer}> what can be opened from the transcript
local asked_at ---@type {number: integer, line: string, column: integer}? the completion on its way
local history, position = {}, 1 ---@type string[], integer

---@return integer row behind the last line; 0 while there is nothing
local function end_row()
  local count = vim.api.nvim_buf_line_count(transcript)
  local is_empty = count == 1 and vim.api.nvim_buf_get_lines(transcript, 0, 1, false)[1] == ''
  return is_empty and 0 or count
end

---@param row integer
---@param lines string[]
---@param group string
local function insert(row, lines, group)
  vim.bo[transcript].modifiable = true
  vim.api.nvim_buf_set_lines(transcript, row, end_row() == 0 and -1 or row, false, lines)
  for index, line in ipairs(lines) do
    local column = group == 'LazydapConsoleAsked' and math.min(#LEAD, #line) or #line
    vim.api.nvim_buf_set_extmark(transcript, namespace, row + index - 1, 0, { end_col = column, hl_group = group })
  end
  local extra = vim.api.nvim_buf_line_count(transcript) - MOST_LINES
  if extra > 0 then
    vim.api.nvim_buf_set_lines(transcript, 0, extra, false, {})
  end
  vim.bo[transcript].modifiable = false
  local last = vim.api.nvim_buf_line_count(transcript)
  for _, window in ipairs(vim.fn.win_findbuf(transcript)) do
    if window ~= vim.api.nvim_get_current_win() then
      vim.api.nvim_win_set_cursor(window, { last, 0 })
    end
  end
end

---@return string
local function typed()
  return vim.trim(table.concat(vim.api.nvim_buf_get_lines(prompt, 0, -1, false), '\n'))
end

---@param text string
local function put(text)
  local lines = vim.split(text, '\n')
  vim.api.nvim_buf_set_lines(prompt, 0, -1, false, lines)
  local window = panes.window('prompt')
  if window then
    vim.api.nvim_win_set_cursor(window, { #lines, #lines[#lines] })
  end
end

--- Evaluate what stands in the prompt.
function M.submit()
  local text = typed()
  if text == '' then
    return
  end
  if history[#history] ~= text then
    history[#history + 1] = text
    if #history > MOST_HISTORY then
      table.remove(history, 1)
    end
  end
  position = #history + 1
  put('')
  number = number + 1
  local lines = vim.split(text, '\n')
  for index, line in ipairs(lines) do
    lines[index] = (index == 1 and LEAD or NEXT_LEAD) .. line
  end
  local row = end_row()
  insert(row, lines, 'LazydapConsoleAsked')
  local last = vim.api.nvim_buf_line_count(transcript)
  pending[number] = vim.api.nvim_buf_set_extmark(transcript, namespace, last - 1, 0, {})
  entries[number] = { text = text, mark = pending[number] }
  host.send({ verb = 'prompt', number = number, text = text })
end

---@param entry integer
---@param answer table
local function write_answer(entry, answer)
  local mark = pending[entry]
  pending[entry] = nil
  if not mark or not transcript or not vim.api.nvim_buf_is_valid(transcript) then
    return
  end
  local row = vim.api.nvim_buf_get_extmark_by_id(transcript, namespace, mark, {})[1]
  local words = answer.error or answer.text or ''
  if words == '' or not row then
    return
  end
  if not answer.parts then
    entries[entry] = nil
  end
  local lines = vim.split(words:gsub('\r', ''):gsub('\n$', ''), '\n')
  insert(row + 1, lines, answer.error and 'LazydapTreeError' or 'LazydapTreeValue')
end

---@param entry integer
---@param offers table[]
local function offer(entry, offers)
  local request = asked_at
  asked_at = nil
  local is_here = request
    and request.number == entry
    and vim.api.nvim_get_current_buf() == prompt
    and vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
    and vim.api.nvim_get_current_line() == request.line
    and vim.api.nvim_win_get_cursor(0)[2] == request.column
  if not is_here or #offers == 0 then
    return
  end
  local start = offers[1].start
  local items = {}
  for _, one in ipairs(offers) do
    -- One menu replaces one piece of text; an offer for another piece has no place in it.
    if one.start == start then
      items[#items + 1] = { word = one.text, kind = one.kind:sub(1, 8), dup = 0 }
    end
  end
  vim.fn.complete(start + 1, items)
end

--- Take an answer of the host.
---@param json string
function M.answer(json)
  local answer = vim.json.decode(json, { luanil = { object = true, array = true } })
  if answer.offers then
    offer(answer.number, answer.offers)
  else
    write_answer(answer.number, answer)
  end
end

local function complete()
  number = number + 1
  local column = vim.api.nvim_win_get_cursor(0)[2]
  asked_at = { number = number, line = vim.api.nvim_get_current_line(), column = column }
  host.send({ verb = 'complete', number = number, text = asked_at.line, column = column })
end

--- Whether Return belongs to the text: a block that has been begun ends with an empty line, as in Python's own prompt.
---@return boolean
local function is_unfinished()
  local lines = vim.api.nvim_buf_get_lines(prompt, 0, -1, false)
  local line = lines[#lines]
  if #lines == 1 then
    return line:find('[:\\{]%s*$') ~= nil
  end
  return vim.api.nvim_win_get_cursor(0)[1] < #lines or vim.trim(line) ~= ''
end

--- Let a key do what it does without us, before what has been typed behind it. Not by mappings with <expr>: those are
--- asked before the text that was typed ahead of them stands in the buffer.
---@param key string
local function feed(key)
  vim.api.nvim_feedkeys(vim.keycode(key), 'in', false)
end

local function on_return()
  if vim.fn.pumvisible() == 1 then
    feed('<C-y>')
  elseif is_unfinished() then
    feed('<CR>')
  else
    M.submit()
  end
end

local function on_tab()
  local before = vim.api.nvim_get_current_line():sub(1, vim.api.nvim_win_get_cursor(0)[2])
  if vim.fn.pumvisible() == 1 then
    feed('<C-n>')
  elseif before:find('%S') then
    complete()
  else
    feed('<Tab>')
  end
end

---@param key string
---@param step -1|1
local function map_history(key, step)
  vim.keymap.set({ 'i', 'n' }, key, function()
    local edge = step == -1 and 1 or vim.api.nvim_buf_line_count(prompt)
    if vim.fn.pumvisible() == 1 or vim.api.nvim_win_get_cursor(0)[1] ~= edge then
      feed(key)
      return
    end
    position = math.min(math.max(position + step, 1), #history + 1)
    put(history[position] or '')
  end, { buffer = prompt, desc = 'lazydap: history' })
end

---@return integer
local function create_prompt()
  prompt = vim.api.nvim_create_buf(false, true)
  vim.bo[prompt].filetype = 'lazydap-prompt'
  local function map(modes, key, right)
    vim.keymap.set(modes, key, right, { buffer = prompt, desc = 'lazydap: prompt' })
  end
  map('i', '<CR>', on_return)
  map('n', '<CR>', M.submit)
  map('i', '<S-CR>', '<CR>')
  map('i', '<C-j>', '<CR>')
  map('i', '<Tab>', on_tab)
  map_history('<Up>', -1)
  map_history('<Down>', 1)
  map_history('<C-p>', -1)
  map_history('<C-n>', 1)
  return prompt
end

--- Go to the prompt and type.
function M.enter()
  local window = panes.window('prompt')
  if window then
    vim.api.nvim_set_current_win(window)
    vim.cmd.startinsert({ bang = true })
  end
end

--- Open the answer under the cursor of the transcript, where it has parts.
local function open_answer()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local best, best_row
  for _, entry in pairs(entries) do
    local at = vim.api.nvim_buf_get_extmark_by_id(transcript, namespace, entry.mark, {})[1]
    if at and at <= row and (not best_row or at > best_row) then
      best, best_row = entry, at
    end
  end
  if best then
    require('lazydap.looking').ask(best.text, 'watch')
  end
end

---@return integer
local function create_transcript()
  transcript = vim.api.nvim_create_buf(false, true)
  vim.bo[transcript].filetype = 'lazydap-console'
  vim.bo[transcript].modifiable = false
  pending, entries = {}, {}
  for _, key in ipairs({ 'i', 'a', 'I', 'A', 'o', 'O' }) do
    vim.keymap.set('n', key, M.enter, { buffer = transcript, desc = 'lazydap: to the prompt' })
  end
  vim.keymap.set('n', '<CR>', open_answer, { buffer = transcript, desc = 'lazydap: open the value' })
  return transcript
end

panes.kinds.console = { split = 'below', size = 12, create = create_transcript, wrap = true }
panes.kinds.prompt = { split = 'below', size = 3, create = create_prompt, inside = 'console', wrap = true }

--- Show the console; the cursor stays where it is.
function M.open()
  panes.open('console')
  panes.open('prompt')
end

--- Take it away.
function M.close()
  panes.close('prompt')
  panes.close('console')
end

--- `:LazydapConsole`
function M.toggle()
  if panes.window('prompt') then
    M.close()
  else
    M.open()
    M.enter()
  end
end

return M
