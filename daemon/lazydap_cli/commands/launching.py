"""Owns `launch` and `restart`: a program named on the command line, and the same once more."""

import os
from typing import cast

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.pairs import pair
from lazydap_cli.programs import Order, carry_out, found_path, kind_of, launched, strict_config
from lazydap_cli.results import Single
from lazydap_core.domain.words import AdapterKind
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import LaunchOptions


def launch(call: Call) -> Single:
    """Start the program; everything that can be wrong with the words is said before a daemon is started."""
    config = strict_config(call)
    env = dict(pair(text, "--env", "KEY=VALUE") for text in call.given("env"))
    cwd, program = call.given("cwd"), call.given("program")
    folder = (
        str(call.folder) if cwd is None else found_path(call.folder, cwd, f"use {cwd} as the working directory", "cwd")
    )
    path = found_path(call.folder, program, f"debug {program}", "program")
    adapter = call.given("adapter")
    # A link stays one: its own path decides which environment a Python belongs to.
    python = None if call.given("python") is None else os.path.abspath(call.folder / call.given("python"))  # noqa: PTH100
    order = Order(
        program=path,
        kind=("debugpy" if call.given("module") or call.given("python") else kind_of(path))
        if adapter is None
        else cast("AdapterKind", "codelldb" if adapter == "lldb-dap" else adapter),
        cwd=folder,
        args=call.invocation.words,
        env=env,
        stop_on_entry=call.given("stop_on_entry"),
        terminal=call.given("terminal"),
        adapter="lldb-dap" if adapter == "lldb-dap" else None,
        pinned=python,
        mode=call.given("mode"),
        options=LaunchOptions(
            module=call.given("module"),
            python=python,
            just_my_code=True if call.given("just_my_code") else None,
            timeout_ms=timeout_ms(call),
            source_map=source_map(call),
        ),
    )
    return carry_out(call, order, config)


def restart(call: Call) -> Single:
    """End the program and launch the same once more."""
    with call.connect() as client:
        session.needs(client, "restart", "restart programs")
        request = requests.Restart(session_id=session.current(client).session_id)
        return launched(session.asked(client, request, responses.Launched))


def timeout_ms(call: Call) -> int | None:
    """How long a start may take; None for the daemon's own limit."""
    given = call.given("timeout")
    return None if given is None else given * 1000


def source_map(call: Call) -> dict[str, str] | None:
    """Where sources lie, as it was asked for. Raises UsageError."""
    return dict(pair(text, "--source-map", "FROM=TO") for text in call.given("source_map")) or None
