"""What is told of an exception of C++ when it is thrown, by LLDB and by the fake codelldb."""

import subprocess
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from lazydap_core.protocol import requests
from lazydap_core.protocol.additions.exceptions import ExceptionFilterSet, FilterChange
from tests.adapters.tour.seat import seated
from tests.fixtures.programs import Program

pytestmark = pytest.mark.timeout(120)

THROWS = Program(
    "throws.cpp",
    """\
#include <stdexcept>

int main() {
    try {
        throw std::runtime_error("nothing here");
    } catch (std::exception &) {
    }
    return 0;
}
""",
)


def built(folder: Path) -> str:
    source = THROWS.write(folder)
    program = source.with_suffix("")
    subprocess.run(["c++", "-g", "-O0", "-o", program, source], check=True, cwd=folder)
    return str(program)


async def test_the_type_of_what_is_thrown_is_read_from_the_program(tmp_path: Path) -> None:
    program = await anyio.to_thread.run_sync(built, tmp_path)
    async with seated("lldb-dap", tmp_path) as seat:
        change = FilterChange(filter="cpp_throw", enabled=True)
        await seat.ask(ExceptionFilterSet(adapter="lldb-dap", filters=(change,), dry_run=False))
        await seat.launch("", program=program, entry=False)
        await seat.until(lambda: seat.session.state == "paused")
        told: Any = await seat.ask(requests.ExceptionInfo(session_id=seat.session.id))
        assert told.type_name == "std::runtime_error"
        await seat.disconnect()
