"""Owns what a launch configuration is, wherever it was written; reads no file."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from lazydap_core.domain.words import AdapterKind

Origin = Literal["state.toml", "launch.json"]

ADAPTER_WORDS: Final = "codelldb, debugpy, delve"


class LaunchConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration as it was read, paths absolute and variables expanded.

    `adapter_type` is the word of the file, `adapter` the kind that serves it, None where none does.
    `adapter_command` pins a program or, for debugpy, the debuggee's interpreter; `mode` is the launch option of
    that name, as are `module`, `terminal`, `just_my_code` and `source_map`. `target` is what an attach
    names, a process id or HOST:PORT. `pre_launch_task` names a task of
    tasks.json (see `tasks.tasks_before`). `unresolved` holds the variables that nothing could expand, each once, which
    also stand literally in the values; `blocked` says why it cannot be run as it is written; `ignored` names the keys
    that would change the launch elsewhere and do nothing here.
    """

    name: str
    source: Origin
    adapter: AdapterKind | None
    adapter_type: str
    request: Literal["launch", "attach"]
    program: str | None = None
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = {}
    stop_on_entry: bool = False
    adapter_command: str | None = None
    mode: str | None = None
    terminal: bool = False
    module: str | None = None
    just_my_code: bool | None = None
    source_map: Mapping[str, str] = {}
    target: str | None = None
    pre_launch_task: str | None = None
    unresolved: tuple[str, ...] = ()
    blocked: str | None = None
    ignored: tuple[str, ...] = ()

    @property
    def fault(self) -> str | None:
        """Why it can neither be launched nor attach, to be read after "cannot be run:"; None when it can."""
        if self.blocked:
            return self.blocked
        if self.adapter is None:
            return f"lazydap has no adapter for `{self.adapter_type}` (it has {ADAPTER_WORDS})"
        if self.unresolved:
            return f"{', '.join(self.unresolved)} cannot be expanded here"
        if self.request == "launch" and self.program is None and self.module is None:
            return "it names no program"
        return None

    @property
    def not_runnable_reason(self) -> str | None:
        """Why it cannot be launched, to be read after "cannot be run:"; None when it can."""
        if self.request == "attach" and self.adapter is not None and not self.blocked:
            return "it attaches to a process that runs already"
        return self.fault

    @property
    def is_runnable(self) -> bool:
        """Whether it can be launched as it is."""
        return self.not_runnable_reason is None
