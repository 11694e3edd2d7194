"""Owns `doctor`: what lazydap needs, one check a line, and for each failure what cures it."""

import importlib.util
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, get_args

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import document, documents
from lazydap_cli.failure import CommandFailed
from lazydap_cli.neovim import find_neovim
from lazydap_cli.results import Listing
from lazydap_cli.runtime import runtime_folder
from lazydap_core.config import Config, config_path, read_config
from lazydap_core.discovery.finding import find
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import ConfigInvalid, LazydapError
from lazydap_core.project import project_root
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import Check
from lazydap_core.state_file import read_state, state_path

NEEDED_MODULES: Final = ("anyio", "debugpy", "msgspec", "psutil", "tomlkit")
EDITOR_MODULE: Final = "pynvim"


def run(call: Call) -> Listing:
    """Check what was asked for, everything by default.

    An adapter that is missing costs nothing as long as there is another one, and neither does a missing editor. Raises
    CommandFailed, the report printed, when something that is needed does not work.
    """
    checks = tuple(_chosen(call))
    needed = [check for check in checks if not _is_optional(check)]
    adapters = [check for check in checks if check.name.startswith("adapter.")]
    failed = sum(not check.ok for check in needed)
    if adapters and not any(check.ok for check in adapters):
        failed += len(adapters)
    report = _report(responses.Doctor(ok=failed == 0, checks=checks))
    if failed:
        call.show(report)
        raise CommandFailed(f"{failed} check(s) failed")
    return report


def _report(answer: responses.Doctor) -> Listing:
    return Listing(
        document(answer),
        documents(answer.checks),
        [check.name for check in answer.checks],
        ("check", "status", "detail"),
        [(check.name, _status(check), check.detail) for check in answer.checks],
        whole=True,
    )


def _status(check: Check) -> str:
    if check.ok:
        return "ok"
    return "missing" if _is_optional(check) else "FAILED"


def _is_optional(check: Check) -> bool:
    return check.name.startswith(("adapter.", "editor."))


def _chosen(call: Call) -> Iterator[Check]:
    adapters, state = call.given("check_adapters"), call.given("check_state")
    everything = adapters == state
    yield _checked("config.file", lambda: _config_detail(call), f"mend it, or {_put_aside(config_path(call.environ))}")
    if everything or adapters:
        yield from _adapters(call)
    if everything or state:
        state_file = state_path(project_root(call.folder, call.environ))
        yield _checked("state.file", lambda: _state_detail(call), f"mend it, or {_put_aside(state_file)}")
    if everything and not adapters:
        yield _checked("interpreter", _interpreter_detail)
        yield _checked("socket.path", lambda: str(call.places.socket))
        yield from _editor(call)
        yield from _daemon(call)


def _checked(name: str, detail: Callable[[], str], cure: str | None = None) -> Check:
    try:
        return Check(name=name, ok=True, detail=detail())
    except LazydapError as error:
        return Check(name=name, ok=False, detail=error.message if cure is None else f"{error.message}; {cure}")


def _put_aside(path: Path) -> str:
    return f"`mv {shlex.quote(str(path))} {shlex.quote(f'{path}.broken')}`"


def _config_detail(call: Call) -> str:
    found = read_config(call.environ).path
    return f"{config_path(call.environ)} can be created; there is none" if found is None else f"{found} (read)"


def _adapters(call: Call) -> Iterator[Check]:
    try:
        config = read_config(call.environ)
    except ConfigInvalid:
        config = Config()  # A check of its own says so.
    root = project_root(call.folder, call.environ)

    def detail(kind: AdapterKind) -> str:
        found = find(kind, environ=call.environ, config=config, root=root)
        return found.adapter_command if found.program == kind else f"{found.adapter_command} ({found.program})"

    for kind in get_args(AdapterKind):
        yield _checked(f"adapter.{kind}", lambda kind=kind: detail(kind))


def _state_detail(call: Call) -> str:
    root = project_root(call.folder, call.environ)
    path = state_path(root)
    if not path.exists():
        return f"{path} (not created yet)"
    return f"{path} ({len(read_state(root).breakpoints)} breakpoints)"


def _interpreter_detail() -> str:
    missing = [name for name in NEEDED_MODULES if importlib.util.find_spec(name) is None]
    if missing:
        raise CommandFailed(f"{', '.join(missing)} missing: `{sys.executable} -m pip install {' '.join(missing)}`")
    return f"{sys.executable} (Python {'.'.join(map(str, sys.version_info[:3]))})"


def _editor(call: Call) -> Iterator[Check]:
    def neovim() -> str:
        found = find_neovim(call.environ)
        return f"{found.path} ({found.version})"

    def host() -> str:
        if importlib.util.find_spec(EDITOR_MODULE) is None:
            raise CommandFailed(f"{EDITOR_MODULE} is missing: `{sys.executable} -m pip install {EDITOR_MODULE}`")
        return f"{EDITOR_MODULE} is there for {sys.executable}"

    yield _checked("editor.neovim", neovim)
    yield _checked("editor.plugin", lambda: str(runtime_folder()))
    yield _checked("editor.pynvim", host)


def _daemon(call: Call) -> Iterator[Check]:
    """What the daemon says of itself; one that does not start is a failed check."""
    try:
        with call.connect() as client:
            yield from session.asked(client, requests.Doctor(), responses.Doctor).checks
    except LazydapError as error:
        yield Check(name="daemon", ok=False, detail=f"{error.message}; `lazydap logs` says more")
