"""Owns how a program named by somebody becomes a launch: which adapter serves it, and what the daemon is told."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import msgspec

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.documents import Document, document
from lazydap_cli.results import Single
from lazydap_core.config import Config, read_config
from lazydap_core.discovery.finding import Found, find
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import AdapterNotFound, InvalidLaunchConfig, Unsupported
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import LaunchOptions

KINDS: Final[Mapping[str, AdapterKind]] = {".py": "debugpy", ".go": "delve"}
"""By the end of the program's name; everything else is codelldb's."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One launch, paths absolute; `pinned` is the adapter or interpreter, `adapter` the program, that must serve it.

    `mode` is the adapter's own way of launching, None where it is told by the program; `options` are what else was
    asked for; `terminal` asks for one.
    """

    program: str
    kind: AdapterKind
    cwd: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    stop_on_entry: bool = False
    pinned: str | None = None
    adapter: str | None = None
    mode: str | None = None
    options: LaunchOptions = LaunchOptions()
    terminal: bool = False


def strict_config(call: Call) -> Config:
    """The configuration, for a launch: what it says about adapters must not be guessed. Raises InvalidLaunchConfig."""
    return read_config(call.environ)


def found_path(folder: Path, typed: str, what: str, key: str) -> str:
    """The real path of what was typed in `folder`. Raises InvalidLaunchConfig where it is missing."""
    try:
        return os.path.realpath(folder / typed, strict=True)
    except OSError as error:
        raise InvalidLaunchConfig(f"cannot {what}: {error.strerror}", **{key: typed}) from error


def kind_of(program: str) -> AdapterKind:
    """The adapter for a program, by the end of its name; a folder with Go files is a Go package."""
    path = Path(program)
    if path.is_dir() and any(path.glob("*.go")):
        return "delve"
    return KINDS.get(path.suffix, "codelldb")


def carry_out(call: Call, order: Order, config: Config) -> Single:
    """Launch, and say what came of it. The adapter is found before a daemon is started."""
    found = find(
        order.kind,
        environ=call.environ,
        config=config,
        pinned=order.pinned,
        program=Path(order.program),
        root=call.places.root,
        adapter=order.adapter,
    )
    _check_program(order)
    with call.connect() as client:
        if order.terminal and "terminal" not in client.features:
            call.warn("the running daemon gives programs no terminal, this one's input is empty (`lazydap shutdown`)")
            order = msgspec.structs.replace(order, terminal=False)
        request = _request(order, found, call.environ, client.features, call.terminal_size)
        answer = session.asked(client, request, responses.Launched)
    result = launched(answer)
    return Single(result.document, [*result.lines, *([("terminal", "`lazydap terminal`")] if order.terminal else [])])


def _check_program(order: Order) -> None:
    path = Path(order.program)
    if path.is_dir() and order.kind != "delve" and order.options.module is None:
        raise InvalidLaunchConfig(f"{path} is a folder: name a program in it", program=order.program)
    if order.kind == "codelldb" and not os.access(path, os.X_OK):
        raise InvalidLaunchConfig(
            f"{path} cannot be executed: build it, or `chmod +x` it if it is a program", program=order.program
        )


def _request(
    order: Order, found: Found, environ: Mapping[str, str], features: frozenset[str], size: tuple[int, int] | None
) -> requests.Launch:
    if found.program == "lldb-dap" and not features:
        raise AdapterNotFound(
            "the running daemon knows codelldb only, and only lldb-dap was found: install codelldb, or end that daemon"
            " with `lazydap shutdown`",
            adapter=order.kind,
            found=found.adapter_command,
        )
    wanted = [name for name, value in msgspec.to_builtins(order.options).items() if value is not None]
    if (order.mode == "test" or wanted) and "launch_options" not in features:
        what = f"take {', '.join(wanted)}" if wanted else "be told to run tests"
        raise Unsupported(f"the running daemon cannot {what}: end it with `lazydap shutdown`")
    return requests.Launch(
        adapter=order.kind,
        program=order.program,
        args=order.args,
        cwd=order.cwd,
        env=dict(order.env),
        stop_on_entry=order.stop_on_entry,
        adapter_command=found.adapter_command,
        options=_options(order, found, environ, size) if "launch_options" in features else None,
    )


def _options(order: Order, found: Found, environ: Mapping[str, str], size: tuple[int, int] | None) -> Document:
    options = msgspec.structs.replace(
        order.options,
        client_env=environment_of(environ),
        adapter=found.program if order.kind == "codelldb" else None,
        mode=order.mode,
        terminal=order.terminal or None,
        terminal_size=size if order.terminal else None,
    )
    return cast("Document", msgspec.to_builtins(options))


def environment_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that can travel."""
    return {name: value for name, value in environ.items() if _is_text(name) and _is_text(value)}


def _is_text(word: str) -> bool:
    # The protocol is UTF-8: a variable that is not cannot travel, and must not cost the launch.
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def launched(answer: responses.Launched) -> Single:
    """What is printed of a session that has begun."""
    return Single(document(answer), _lines(answer))


def _lines(answer: responses.Launched) -> list[tuple[str, object]]:
    lines: list[tuple[str, object]] = [
        ("session", answer.session_id),
        ("state", answer.state if answer.reason is None else f"{answer.state} ({answer.reason})"),
    ]
    if answer.thread_id is not None:
        lines.append(("thread", answer.thread_id))
    if answer.adapter_command is not None:
        lines.append(("adapter command", answer.adapter_command))
    labels = iter(("breakpoints",))
    for each in answer.breakpoints:
        state = "" if each.verified else f" (not bound: {each.message or 'not yet'})"
        lines.append((next(labels, ""), f"{each.id} at {each.source}:{each.line}{state}"))
    return lines
