"""Owns `launch`: a program named on the command line."""

from typing import cast

from lazydap_cli.call import Call
from lazydap_cli.programs import Order, carry_out, found_path, kind_of, strict_config
from lazydap_cli.results import Single
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import UsageError


def launch(call: Call) -> Single:
    """Start the program; everything that can be wrong with the words is said before a daemon is started."""
    config = strict_config(call)
    env = dict(map(_pair, call.given("env")))
    cwd, program = call.given("cwd"), call.given("program")
    folder = (
        str(call.folder) if cwd is None else found_path(call.folder, cwd, f"use {cwd} as the working directory", "cwd")
    )
    path = found_path(call.folder, program, f"debug {program}", "program")
    adapter = call.given("adapter")
    order = Order(
        program=path,
        kind=kind_of(path)
        if adapter is None
        else cast("AdapterKind", "codelldb" if adapter == "lldb-dap" else adapter),
        cwd=folder,
        args=call.invocation.words,
        env=env,
        stop_on_entry=call.given("stop_on_entry"),
        adapter="lldb-dap" if adapter == "lldb-dap" else None,
    )
    return carry_out(call, order, config)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"`--env {text}` is not a KEY=VALUE pair", argument="--env")
    return name, value
