-- Checks Lua sources with what Neovim brings along: the compiler, its bytecode and the parser for Lua.
--   nvim -l tests/house/lua_check.lua FILE_OR_FOLDER...
-- Says what does not compile, writes or reads a global it should not, declares a local nobody reads, or is laid out
-- differently from the rest; one line each, `file:line: what`. Exits with 1 when there was anything to say.

local jutil = require('jit.util')

local LONGEST = 120
local READABLE = {}
for name in
  ([[
  vim jit bit require assert error pcall xpcall select type tonumber tostring print next pairs ipairs unpack
  rawequal rawget rawset setmetatable getmetatable setfenv getfenv load loadfile loadstring dofile collectgarbage
  newproxy package string table math io os debug coroutine _G _VERSION arg
]]):gmatch('%S+')
do
  READABLE[name] = true
end

local found = {}

local function say(file, line, text)
  found[#found + 1] = { file = file, line = line, text = text }
end

-- Global reads and writes -----------------------------------------------------------------------------------------

local GLOBAL_READ, GLOBAL_WRITE

-- The numbers of the opcodes differ between versions of LuaJIT, so they are learnt from two functions we know.
local function learn_opcodes()
  local function first_opcode_with_name(source)
    local proto = assert(loadstring(source))
    for pc = 1, jutil.funcinfo(proto).bytecodes - 1 do
      local instruction = jutil.funcbc(proto, pc)
      if jutil.funck(proto, -bit.rshift(instruction, 16) - 1) == 'learnt' then
        return bit.band(instruction, 0xff)
      end
    end
    error('this LuaJIT compiles globals in a way lua_check.lua does not know')
  end
  GLOBAL_READ = first_opcode_with_name('return learnt')
  GLOBAL_WRITE = first_opcode_with_name('learnt = 1')
end

local function check_globals(file, proto)
  local info = jutil.funcinfo(proto)
  for pc = 1, info.bytecodes - 1 do
    local instruction = jutil.funcbc(proto, pc)
    local opcode = bit.band(instruction, 0xff)
    if opcode == GLOBAL_READ or opcode == GLOBAL_WRITE then
      local name = jutil.funck(proto, -bit.rshift(instruction, 16) - 1)
      local line = jutil.funcinfo(proto, pc).currentline
      if opcode == GLOBAL_WRITE then
        say(file, line, ("writes to the global '%s'"):format(name))
      elseif not READABLE[name] then
        say(file, line, ("reads the unknown global '%s'"):format(name))
      end
    end
  end
  if not info.children then
    return
  end
  for index = -1, -info.gcconsts, -1 do
    local constant = jutil.funck(proto, index)
    if type(constant) == 'proto' then
      check_globals(file, constant)
    end
  end
end

-- Locals nobody reads ---------------------------------------------------------------------------------------------

local Walker = {}
Walker.__index = Walker

function Walker.new(file, source)
  return setmetatable({ file = file, source = source, scope = nil }, Walker)
end

function Walker:text(node)
  return vim.treesitter.get_node_text(node, self.source)
end

function Walker:enter()
  self.scope = { outer = self.scope, names = {}, all = {} }
end

function Walker:leave()
  for _, variable in ipairs(self.scope.all) do
    if not variable.read and not vim.startswith(variable.name, '_') then
      say(self.file, variable.line, ("the local '%s' is never read"):format(variable.name))
    end
  end
  self.scope = self.scope.outer
end

function Walker:declare(node, counts_as_read)
  local variable = { name = self:text(node), line = node:start() + 1, read = counts_as_read }
  self.scope.names[variable.name] = variable
  table.insert(self.scope.all, variable)
end

function Walker:read(node)
  local name, scope = self:text(node), self.scope
  while scope do
    if scope.names[name] then
      scope.names[name].read = true
      return
    end
    scope = scope.outer
  end
end

function Walker:children(node)
  for child, field in node:iter_children() do
    self:visit(child, field)
  end
end

function Walker:declare_list(list)
  for child in list:iter_children() do
    if child:type() == 'identifier' then
      self:declare(child, false)
    end
  end
end

function Walker:visit_function(node)
  local name = node:field('name')[1]
  local is_local = node:child(0):type() == 'local'
  if name and is_local then
    self:declare(name, false)
  elseif name then
    self:visit(name)
  end
  self:enter()
  for _, parameters in ipairs(node:field('parameters')) do
    for child in parameters:iter_children() do
      if child:type() == 'identifier' then
        self:declare(child, true) -- A callback takes what it is given.
      end
    end
  end
  for _, body in ipairs(node:field('body')) do
    self:children(body)
  end
  self:leave()
end

function Walker:visit_local(node)
  local names
  for child in node:iter_children() do
    if child:type() == 'variable_list' then
      names = child
    elseif child:type() == 'assignment_statement' then
      names = child:named_child(0)
      for index = 1, child:named_child_count() - 1 do
        self:visit(child:named_child(index)) -- `local x = x` reads the outer one.
      end
    end
  end
  self:declare_list(names)
end

function Walker:visit_assignment(node)
  for child in node:iter_children() do
    if child:type() == 'variable_list' then
      for target in child:iter_children() do
        if target:type() ~= 'identifier' then -- `x = 1` does not read x; `x.y = 1` does.
          self:visit(target)
        end
      end
    else
      self:visit(child)
    end
  end
end

function Walker:visit_for(node)
  local clause = node:field('clause')[1]
  self:enter()
  if clause:type() == 'for_numeric_clause' then
    for child, field in clause:iter_children() do
      if field ~= 'name' then
        self:visit(child)
      end
    end
    self:declare(clause:field('name')[1], true)
  else
    self:visit(clause:named_child(1))
    self:declare_list(clause:named_child(0))
  end
  for _, body in ipairs(node:field('body')) do
    self:visit(body)
  end
  self:leave()
end

local SCOPES = { chunk = true, block = true }
local NAMES_ONLY = { field = { dot_index_expression = true }, method = { method_index_expression = true } }

function Walker:visit(node, field)
  local kind = node:type()
  if kind == 'identifier' then
    local parent = node:parent():type()
    local is_key = field and NAMES_ONLY[field] and NAMES_ONLY[field][parent] or field == 'name' and parent == 'field'
    if not is_key and parent ~= 'goto_statement' and parent ~= 'label_statement' then
      self:read(node)
    end
  elseif kind == 'function_declaration' or kind == 'function_definition' then
    self:visit_function(node)
  elseif kind == 'variable_declaration' then
    self:visit_local(node)
  elseif kind == 'assignment_statement' then
    self:visit_assignment(node)
  elseif kind == 'for_statement' then
    self:visit_for(node)
  elseif kind == 'repeat_statement' then
    self:enter()
    for _, body in ipairs(node:field('body')) do
      self:children(body) -- Not as a scope of its own: `until` sees the locals of the body.
    end
    self:visit(node:field('condition')[1])
    self:leave()
  elseif SCOPES[kind] then
    self:enter()
    self:children(node)
    self:leave()
  else
    self:children(node)
  end
end

-- Layout ----------------------------------------------------------------------------------------------------------

local function check_layout(file, source)
  if source:sub(-1) ~= '\n' or source:sub(-2) == '\n\n' then
    say(file, select(2, source:gsub('\n', '')), 'must end in exactly one line break')
  end
  local number = 0
  for line in source:gmatch('([^\n]*)\n') do
    number = number + 1
    if line:find('\t') then
      say(file, number, 'has a tab')
    end
    if line:find('%s$') then
      say(file, number, 'ends in a blank')
    end
    if vim.fn.strdisplaywidth(line) > LONGEST then
      say(file, number, ('is longer than %d columns'):format(LONGEST))
    end
  end
end

-- ------------------------------------------------------------------------------------------------------------------

local function sources(paths)
  local files = {}
  for _, path in ipairs(paths) do
    if vim.fn.isdirectory(path) == 1 then
      for name, kind in vim.fs.dir(path, { depth = math.huge }) do
        if kind == 'file' and name:match('%.lua$') then
          files[#files + 1] = path .. '/' .. name
        end
      end
    else
      files[#files + 1] = path
    end
  end
  table.sort(files)
  return files
end

learn_opcodes()
local files = sources(arg)
for _, file in ipairs(files) do
  local source = assert(io.open(file, 'rb')):read('*a')
  local chunk, problem = loadstring(source, '@' .. file)
  if chunk then
    check_globals(file, chunk)
    local walker = Walker.new(file, source)
    walker:visit(vim.treesitter.get_string_parser(source, 'lua'):parse()[1]:root())
    check_layout(file, source)
  else
    say(file, tonumber(problem:match(':(%d+):')) or 1, problem:gsub('^.-:%d+: ', ''))
  end
end
table.sort(found, function(one, other)
  return one.file < other.file or one.file == other.file and one.line < other.line
end)
for _, complaint in ipairs(found) do
  io.stdout:write(('%s:%d: %s\n'):format(complaint.file, complaint.line, complaint.text))
end
io.stdout:write(('%d Lua files, %d complaints\n'):format(#files, #found))
os.exit(#found == 0 and 0 or 1)
