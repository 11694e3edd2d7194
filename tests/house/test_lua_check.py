"""tests/house/lua_check.lua sees what it is there for, and nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).with_name("lua_check.lua")
NVIM = shutil.which("nvim", path=str(Path(sys.executable).parent)) or "nvim"

CLEAN = """\
local M = {}
local limit, _unused = 3, 4

local function twice(value, _)
  return value * 2
end

function M.run(items)
  local limit = limit
  for index, item in ipairs(items) do
    items[index] = twice(item)
  end
  for _ = 1, limit do
    vim.print(items)
  end
  repeat
    local done = items.done
  until done
  goto finish
  ::finish::
  return { limit = limit }
end

return M
"""

FAULTS = {
    "writes to the global 'count'": "local function add()\n  count = 1\nend\nreturn add\n",
    "reads the unknown global 'vmi'": "return function()\n  return vmi.api\nend\n",
    "the local 'left' is never read": "local left = 1\nleft = 2\nreturn { left = 3 }\n",
    "the local 'index' is never read": "for index, item in ipairs({}) do\n  print(item)\nend\n",
    "the local 'helper' is never read": "local function helper() end\n",
    "the local 'x' is never read": "local x = 1\nlocal t = {}\nreturn t.x\n",
    "unexpected symbol near '='": "local x = = 1\n",
    "has a tab": "return {\n\t1,\n}\n",
    "ends in a blank": "return 1 \n",
    "is longer than 120 columns": f"return '{'x' * 120}'\n",
    "must end in exactly one line break": "return 1",
}


def checked(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    (folder / "some.lua").write_text(source)
    return subprocess.run([NVIM, "-l", CHECK, folder], capture_output=True, text=True, timeout=20, check=False)


def test_clean_lua_passes(tmp_path: Path) -> None:
    run = checked(tmp_path, CLEAN)
    assert (run.returncode, run.stdout) == (0, "1 Lua files, 0 complaints\n")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_fails_the_check(tmp_path: Path, fault: str) -> None:
    run = checked(tmp_path, FAULTS[fault])
    assert run.returncode == 1
    assert fault in run.stdout
    assert run.stdout.endswith("1 Lua files, 1 complaints\n")
