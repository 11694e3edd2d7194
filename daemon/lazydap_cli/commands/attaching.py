"""Owns `attach`: a program that runs already, and which adapter is for it."""

from typing import Final, cast

import msgspec

from lazydap_cli import session
from lazydap_cli.call import Call
from lazydap_cli.commands.launching import source_map, timeout_ms
from lazydap_cli.documents import Document
from lazydap_cli.programs import environment_of, launched, strict_config
from lazydap_cli.results import Single
from lazydap_core.discovery.finding import find
from lazydap_core.discovery.processes import Target, kind_of, read_target
from lazydap_core.domain.words import AdapterKind
from lazydap_core.errors import UsageError
from lazydap_core.protocol import requests, responses
from lazydap_core.protocol.objects import LaunchOptions

GRACE_SECONDS: Final = 30.0


def attach(call: Call) -> Single:
    """Attach, and say what came of it."""
    config = strict_config(call)
    target = _target(call)
    adapter = call.given("adapter")
    if adapter is None:
        kind: AdapterKind = "codelldb" if call.given("wait_for") else kind_of(target)
    else:
        kind = cast("AdapterKind", "codelldb" if adapter == "lldb-dap" else adapter)
    found = find(
        kind,
        environ=call.environ,
        config=config,
        root=call.places.root,
        adapter="lldb-dap" if adapter == "lldb-dap" else None,
    )
    limit = timeout_ms(call)
    options = LaunchOptions(
        client_env=environment_of(call.environ),
        adapter=found.program if kind == "codelldb" else None,
        timeout_ms=limit,
        source_map=source_map(call),
    )
    request = requests.Attach(
        adapter=kind,
        pid=target.pid,
        host=target.host,
        port=target.port,
        wait_for=call.given("wait_for"),
        stop_on_entry=call.given("stop_on_entry"),
        adapter_command=found.adapter_command,
        options=cast("Document", msgspec.to_builtins(options)),
    )
    with call.connect() as client:
        session.needs(client, "attach", "attach to programs")
        patience = GRACE_SECONDS + (30.0 if limit is None else limit / 1000)
        return launched(session.asked(client, request, responses.Launched, timeout=patience))


def _target(call: Call) -> Target:
    """What was named. Raises UsageError."""
    text: str | None = call.given("target")
    if (text is None) is (call.given("wait_for") is None):
        raise UsageError("say once what to attach to: a process id, HOST:PORT, or `--wait-for NAME`")
    return Target() if text is None else read_target(text)
