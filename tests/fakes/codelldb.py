"""A fake codelldb: a process with its command line, made of conversations with a real one (`transcripts`).

Run as `python -S -E codelldb.py FILE [--connect PORT --auth-token TOKEN | --port PORT]`, FILE holding JSON: `"spec"`
(see `tests.fakes.codelldb_program`) and `"record"`, a file that gets one JSON line for each request, and each fault.
"""

import json
import os
import signal
import socket
import sys
from pathlib import Path

# Run by its path, from any directory, without `site`.
sys.path[0] = str(Path(__file__).resolve().parents[2])

from tests.fakes.adapter_wire import Wire, sleep  # noqa: E402
from tests.fakes.codelldb_program import CodelldbSpec  # noqa: E402
from tests.fakes.codelldb_session import CodelldbSession  # noqa: E402

USAGE = 2
PANICKED = 101


def main() -> int:
    """The exit status."""
    # Killed by a signal, as a program without handlers.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    content = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    spec = CodelldbSpec.read(content["spec"])
    options = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    wire = Wire(content["record"])
    wire.note({"started": options, "environ": dict(os.environ), "cwd": str(Path.cwd())})
    if unknown := next((name for name in options if name in spec.unknown_options), None):
        _complain(f"error: unexpected argument '{unknown}' found\n\nUsage: codelldb [OPTIONS]")
        return USAGE
    if spec.fails_to_start:
        panic = f"thread 'main' panicked at src/main.rs:1:1:\n{spec.fails_to_start}\n"
        note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
        _complain(panic + note)
        return PANICKED
    # Where a script of the user prints to, whatever the conversation runs over.
    os.dup2(1, 3)
    if not _connect(options, spec):
        return PANICKED
    return CodelldbSession(wire, spec).serve()


def _complain(text: str) -> None:
    sys.stderr.write(text + "\n")


def _connect(options: dict[str, str], spec: CodelldbSpec) -> bool:
    while spec.never_connects or (spec.calls_after and not Path(spec.calls_after).exists()):
        sleep(0.01)
    if "--connect" in options:
        try:
            stream = socket.create_connection(("127.0.0.1", int(options["--connect"])))
        except OSError as error:
            _complain(f"called `Result::unwrap()` on an `Err` value: {error}")
            return False
        stream.sendall(f"Auth-Token: {options.get('--auth-token', '')}\r\n".encode())
    elif "--port" in options:
        with socket.create_server(("127.0.0.1", int(options["--port"]))) as listener:
            stream, _ = listener.accept()
    else:
        return True
    for number in (0, 1):
        os.dup2(stream.fileno(), number)
    stream.detach()
    return True


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BrokenPipeError, ConnectionResetError):
        os._exit(0)
