"""Where the real adapters of the tests are; one that is missing is a failure, never a skip."""

import shutil
import sys
from pathlib import Path


def lldb_dap() -> str:
    """lldb-dap beside our own interpreter, else on the path."""
    beside = Path(sys.executable).with_name("lldb-dap")
    found = str(beside) if beside.exists() else shutil.which("lldb-dap")
    assert found, "no lldb-dap: install the extra lazydap[lldb]"
    return found


def dlv() -> str:
    """delve on the path, where `make delve` has put it."""
    found = shutil.which("dlv")
    assert found, "no dlv: `make delve`"
    return found
