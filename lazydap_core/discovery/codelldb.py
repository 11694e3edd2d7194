"""Owns where codelldb is found and how it shows that it works; does not drive it (doc/adapters.md)."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from lazydap_core.discovery.places import Place, Surroundings, in_editor_extensions, in_home, mason, on_path
from lazydap_core.discovery.probing import ask

INSTALL: Final = "codelldb (`:MasonInstall codelldb`, or https://github.com/vadimcn/codelldb/releases)"


def places(surroundings: Surroundings) -> Iterator[Place]:
    """Where to look for it, best first."""
    environ = surroundings.environ
    yield from on_path(environ, "codelldb")
    yield from mason(environ, "packages/codelldb/extension/adapter/codelldb", "bin/codelldb")
    yield from in_editor_extensions(environ, "vadimcn.vscode-lldb", "adapter/codelldb")
    for below in (".local/opt/codelldb/extension/adapter/codelldb", ".local/share/codelldb/extension/adapter/codelldb"):
        if file := in_home(environ, below):
            yield Place(str(file), (str(file),))
    yield Place("/usr/lib/codelldb/adapter/codelldb", ("/usr/lib/codelldb/adapter/codelldb",))


def fault(file: str, environ: Mapping[str, str]) -> str | None:
    """Why this codelldb is of no use, or None: it is greeted, since its `--help` answers even without its library."""
    answer = ask((file,), environ, say=_greeting(), is_enough=lambda output: "Content-Length" in output)
    if "Content-Length" in answer.output:
        return None
    # Below each panic Rust advises how to see more of it.
    telling = (line for line in answer.output.splitlines() if not line.startswith("note: "))
    return replace(answer, output="\n".join(telling)).last_line


def _greeting() -> bytes:
    request = {"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "lldb"}}
    body = json.dumps(request).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
