"""A scripted daemon: a small program of its own that speaks the framing, and misbehaves where its script says so.

As a program (`python tests/fakes/daemon.py --instance NAME`, the way clients start a daemon) it reads the script from
the file that LAZYDAP_FAKE_SCRIPT names, and its socket from LAZYDAP_RUNTIME_DIR. It knows nothing of lazydap_core, so
that it cannot share a mistake with it. Tests write a `Script` as a dict:

    {"version": 10, "instance": "fake", "features": ["stop_detail"],
     "log": ["a line for stdout"], "exit": 3,         end at once, after the log lines
     "pause": 0.3,                                    seconds before it listens
     "deaf": true,                                    never listens
     "pidfile": "/path",                              where its process id is appended, a line for each start
     "record": "/path",                               where each request is appended, as {"connection", "id", "request"}
     "answers": {"Step": [[step, ...], ...]}}         the n-th request of that name plays the n-th list, the last again

A step is a one-key dict:

    {"reply": {"Threads": []}}      a response           {"error": {"code", "message", "details"}}
    {"event": {"Stopped": {...}}}   on this connection   {"broadcast": {...}}   to each that has subscribed
    {"torn": {"Version": {...}}}    a reply, byte by byte
    {"half": {"Version": {...}}}    half a reply, then the connection is closed
    {"raw": "00000003"}             these bytes (hex)
    {"as": [id, payload]}           a payload under another id
    {"wait": 0.2}  {"close": true}  {"silence": true}  {"exit": 1}

A request of another version than the script's gets VersionMismatch, but for Ping and Shutdown, as from a daemon that
speaks one version only.

Requests without a list get a plain answer: Ping, Status, Version, Subscribe, BreakpointList, WatchList, Shutdown; any
other one a BadRequest. Events can also be told to it while it runs: a line of JSON on its stdin is a step to broadcast.
"""

import argparse
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

Script = dict[str, Any]
Json = dict[str, Any]


class _Fake:
    def __init__(self, script: Script, instance: str, socket_path: str) -> None:
        self.script = script
        self.socket_path = socket_path
        self.version: int = script.get("version", 10)
        self.instance: str = script.get("instance", instance)
        self.answers: dict[str, list[list[Json]]] = {
            name: [list(steps) for steps in plays] for name, plays in script.get("answers", {}).items()
        }
        self.lock = threading.Lock()
        self.subscribers: list[_Connection] = []
        self.connections = 0

    def steps_for(self, name: str) -> list[Json]:
        with self.lock:
            plays = self.answers.get(name)
            if plays:
                return plays.pop(0) if len(plays) > 1 else plays[0]
        return self.plain(name)

    def plain(self, name: str) -> list[Json]:
        status = {
            "instance": self.instance,
            "daemon_pid": os.getpid(),
            "uptime_ms": 1,
            "protocol_version": self.version,
            "lazydap_version": "0.0.0",
            "session": None,
        }
        pong: Json = {"version": self.version, "instance": self.instance, "uptime_ms": 1}
        if "features" in self.script:
            pong["features"] = self.script["features"]
        empty: Json = {"action": "listed", "dry_run": False, "not_found": []}
        replies: dict[str, Json] = {
            "Ping": {"Pong": pong},
            "Status": {"Status": status},
            "Subscribe": {"Status": status},
            "Version": {"Version": {"lazydap": "0.0.0", "protocol": self.version}},
            "BreakpointList": {"Breakpoints": {**empty, "breakpoints": [], "applied_to_session": False}},
            "WatchList": {"Watches": {**empty, "watches": []}},
            "Shutdown": {"ShuttingDown": {"sessions": []}},
        }
        if name in replies:
            return [{"reply": replies[name]}, *([{"exit": 0}] if name == "Shutdown" else [])]
        return [{"error": {"code": "BadRequest", "message": f"the script has no {name}", "details": {}}}]

    def broadcast(self, event: Json) -> None:
        with self.lock:
            subscribers = list(self.subscribers)
        for connection in subscribers:
            with suppress(OSError):
                connection.send(0, {"Event": event})

    def record(self, connection: int, number: int, request: Any) -> None:
        if path := self.script.get("record"):
            line = json.dumps({"connection": connection, "id": number, "request": request}, ensure_ascii=False)
            with self.lock, Path(path).open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def end(self, code: int) -> None:
        with suppress(OSError):
            Path(self.socket_path).unlink()
        os._exit(code)


class _Connection:
    def __init__(self, fake: _Fake, stream: socket.socket, number: int) -> None:
        self.fake = fake
        self.stream = stream
        self.number = number
        self.writing = threading.Lock()

    def run(self) -> None:
        with suppress(OSError), self.stream:
            while (body := self._body()) is not None:
                envelope = json.loads(body)
                request = envelope["payload"]["Request"]
                name = request if isinstance(request, str) else next(iter(request))
                self.fake.record(self.number, envelope["id"], request)
                if name == "Subscribe" and self not in self.fake.subscribers:
                    self.fake.subscribers.append(self)
                if name not in ("Ping", "Shutdown") and envelope["version"] != self.fake.version:
                    self._mismatch(envelope)
                elif not self._answer(envelope["id"], name):
                    break
        if self in self.fake.subscribers:
            self.fake.subscribers.remove(self)

    def _mismatch(self, envelope: Json) -> None:
        details = {"client_version": envelope["version"], "daemon_version": self.fake.version}
        error = {"code": "VersionMismatch", "message": "another version", "details": details}
        self.send(envelope["id"], {"Error": error})

    def _answer(self, number: int, name: str) -> bool:
        try:
            return all(self._play(number, *next(iter(step.items()))) for step in self.fake.steps_for(name))
        except OSError:
            if name == "Shutdown":  # Who asks for that need not wait for the answer.
                self.fake.end(0)
            raise

    def _body(self) -> bytes | None:
        header = self._exactly(4)
        return None if header is None else self._exactly(struct.unpack(">I", header)[0])

    def _exactly(self, count: int) -> bytes | None:
        data = b""
        while len(data) < count:
            more = self.stream.recv(count - len(data))
            if not more:
                return None
            data += more
        return data

    def _framed(self, number: int, payload: Json) -> bytes:
        envelope = {"version": self.fake.version, "id": number, "payload": payload}
        body = json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()
        return struct.pack(">I", len(body)) + body

    def send(self, number: int, payload: Json) -> None:
        with self.writing:
            self.stream.sendall(self._framed(number, payload))

    def _play(self, number: int, word: str, value: Any) -> bool:
        """Whether the connection goes on."""
        if word in ("close", "half"):
            if word == "half":
                data = self._framed(number, {"Response": value})
                self.stream.sendall(data[: len(data) // 2])
            return False
        steps: dict[str, Callable[[], None]] = {
            "reply": lambda: self.send(number, {"Response": value}),
            "error": lambda: self.send(number, {"Error": value}),
            "event": lambda: self.send(0, {"Event": value}),
            "broadcast": lambda: self.fake.broadcast(value),
            "as": lambda: self.send(value[0], value[1]),
            "torn": lambda: self._send_torn(self._framed(number, {"Response": value})),
            "raw": lambda: self.stream.sendall(bytes.fromhex(value)),
            "wait": lambda: time.sleep(value),  # noqa: TID251  # the script asks for a slow daemon
            "silence": lambda: None,
            "exit": lambda: self.fake.end(value),
        }
        steps[word]()
        return True

    def _send_torn(self, data: bytes) -> None:
        with self.writing:
            for byte in data:
                self.stream.sendall(bytes([byte]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--instance", required=True)
    instance: str = parser.parse_args().instance
    with open(os.environ["LAZYDAP_FAKE_SCRIPT"], encoding="utf-8") as file:  # noqa: PTH123
        script: Script = json.load(file)
    if path := script.get("pidfile"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
    for line in script.get("log", ()):
        print(line, flush=True)  # noqa: T201  # its log is its stdout
    if "exit" in script:
        sys.exit(script["exit"])
    time.sleep(script.get("pause", 0))  # noqa: TID251  # the script asks for a slow start
    if script.get("deaf"):
        threading.Event().wait()
    serve(script, instance, os.path.join(os.environ["LAZYDAP_RUNTIME_DIR"], f"lazydap-{instance}.sock"))  # noqa: PTH118


def serve(script: Script, instance: str, socket_path: str) -> None:
    fake = _Fake(script, instance, socket_path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(socket_path)
    except OSError as error:
        print(json.dumps({"error": "DaemonInternalError", "message": f"cannot bind: {error}"}), flush=True)  # noqa: T201
        sys.exit(1)
    listener.listen(64)
    threading.Thread(target=_told, args=(fake,), daemon=True).start()
    while True:
        stream, _ = listener.accept()
        fake.connections += 1
        threading.Thread(target=_Connection(fake, stream, fake.connections).run, daemon=True).start()


def _told(fake: _Fake) -> None:
    for line in sys.stdin:
        fake.broadcast(json.loads(line))


# What follows is for tests.


class FakeDaemon:
    """A running fake: where it listens, what it was asked, and a way to tell it events."""

    def __init__(self, process: "subprocess.Popen[str]", socket_path: Path, record: Path) -> None:
        self.process = process
        self.socket = socket_path
        self._record = record

    def requests(self) -> list[Json]:
        """Every request so far, in order of arrival: {"connection", "id", "request"}."""
        if not self._record.exists():
            return []
        return [json.loads(line) for line in self._record.read_text(encoding="utf-8").split("\n") if line]

    def asked(self) -> list[str]:
        """The names of the requests so far."""
        requests = [entry["request"] for entry in self.requests()]
        return [request if isinstance(request, str) else next(iter(request)) for request in requests]

    def broadcast(self, event: Json) -> None:
        """Send an event to every connection that has subscribed."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(event) + "\n")
        self.process.stdin.flush()


@contextmanager
def running_daemon(folder: Path, script: Script, instance: str = "fake") -> Generator[FakeDaemon]:
    """A fake that listens on `<folder>/lazydap-<instance>.sock`; killed on leaving. `folder` must be short."""
    record = folder / f"requests-{instance}.jsonl"
    script_file = write_script(folder, {"record": str(record), **script})
    process = subprocess.Popen(  # ended below
        [sys.executable, "-E", __file__, "--instance", instance],
        env={**os.environ, "LAZYDAP_RUNTIME_DIR": str(folder), "LAZYDAP_FAKE_SCRIPT": str(script_file)},
        stdin=subprocess.PIPE,
        text=True,
    )
    socket_path = folder / f"lazydap-{instance}.sock"
    try:
        _wait_until_listening(process, socket_path)
        yield FakeDaemon(process, socket_path, record)
    finally:
        process.kill()
        process.wait()
        cast("Any", process.stdin).close()
        socket_path.unlink(missing_ok=True)


def write_script(folder: Path, script: Script) -> Path:
    """Put `script` where a fake started with LAZYDAP_FAKE_SCRIPT set to the result finds it."""
    path = folder / "script.json"
    path.write_text(json.dumps(script), encoding="utf-8")
    return path


def _wait_until_listening(process: "subprocess.Popen[str]", socket_path: Path) -> None:
    deadline = time.monotonic() + 10
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(socket_path))
            except OSError:
                assert process.poll() is None, "the fake daemon has ended"
                assert time.monotonic() < deadline, "the fake daemon does not listen"
            else:
                return
        time.sleep(0.005)  # noqa: TID251  # this is the poll, and it has a deadline


if __name__ == "__main__":
    main()
