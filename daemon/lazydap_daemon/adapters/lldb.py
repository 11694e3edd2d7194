"""Owns what is LLDB's own, whichever adapter drives it; knows nothing of sessions."""

import re
import sys
from typing import Any, Final

from lazydap_daemon.adapters.ordinary import Ordinary
from lazydap_daemon.adapters.plan import AttachTarget, LaunchPlan
from lazydap_daemon.dap.messages import Capabilities, StackFrame

THROW: Final = "__cxa_throw"
"""Where a C++ exception is thrown; its second argument is the type_info, which holds the name of the type."""

TYPE_NAME: Final = "*(char**)($arg2+8)"

_QUOTED: Final = re.compile(r'"([^"]+)"')
_SIMPLE_TYPES: Final = {"i": "int", "j": "unsigned int", "l": "long", "d": "double", "b": "bool", "c": "char"}
_POINTED: Final = {"PKc": "const char*", "Pc": "char*"}


class Lldb(Ordinary):
    """The answers of `Driver` that are the same for every adapter of LLDB."""

    # LLDB's own interruption never comes back from a program that meets a breakpoint in that very moment
    # (doc/adapters.md, "Stops").
    pauses_by_signal: bool = sys.platform == "linux"

    def attach_arguments(self, plan: LaunchPlan, target: AttachTarget) -> dict[str, Any]:
        """See `Driver.attach_arguments`; a port is that of a gdb server."""
        arguments: dict[str, Any] = {
            "name": "lazydap",
            "type": self.adapter_id,
            "request": "attach",
            "stopOnEntry": plan.stop_on_entry,
            **self.attach_settings(plan),
        }
        if target.pid is not None:
            return arguments | {"pid": target.pid}
        if target.port is not None:
            return arguments | self.behind_port(target)
        return arguments | {"program": target.wait_for, "waitFor": True}

    def attach_settings(self, plan: LaunchPlan) -> dict[str, Any]:
        """The part of `attach` that does not depend on what is attached to."""
        raise NotImplementedError

    def behind_port(self, target: AttachTarget) -> dict[str, Any]:
        """The part of `attach` that says where a gdb server listens."""
        raise NotImplementedError

    def is_program_output(self, category: str | None, text: str) -> bool:
        """Both of its streams come as `stdout`; every other category is the adapter's own."""
        del text
        return category == "stdout"

    def keeps_debuggee(self, capabilities: Capabilities, *, is_attached: bool) -> bool:
        """As it says of a launched one."""
        return is_attached or capabilities.support_terminate_debuggee is True

    def thrown_type(self, frame: StackFrame) -> str | None:
        """See `Driver.thrown_type`: LLDB itself tells nothing of an exception of C++."""
        return TYPE_NAME if frame.name == THROW else None

    def type_told(self, value: str) -> str | None:
        """See `Driver.type_told`."""
        told = _QUOTED.search(value)
        return demangled(told[1]) if told else None


def demangled(name: str) -> str:
    """A C++ type as it is written, from the name inside the program; that name itself for templates and the like."""
    if name in _SIMPLE_TYPES or name in _POINTED:
        return _SIMPLE_TYPES.get(name) or _POINTED[name]
    rest, parts = name, list[str]()
    if rest.startswith("N") and rest.endswith("E"):
        rest = rest[1:-1]
    if rest.startswith("St"):
        rest, parts = rest[2:], ["std"]
    while length := re.match(r"[1-9]\d*", rest):
        start, end = length.end(), length.end() + int(length[0])
        parts.append(rest[start:end])
        rest = rest[end:]
    return name if rest or len(parts) < 1 or parts == ["std"] else "::".join(parts)
