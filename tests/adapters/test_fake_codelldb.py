"""The fake codelldb, held against recorded conversations with a real one: the same words in the same order."""

import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from lazydap_daemon.adapters.plan import LaunchPlan
from tests.fakes.codelldb_driver import FakeCodelldb
from tests.fakes.codelldb_program import NO_SOURCE, CodelldbSpec
from tests.fakes.program import Line, ProgramSpec
from tests.fakes.recorded import Json, recording

PATIENCE = 20.0
TURNS = 10
LOOP = (
    Line(line=26),
    Line(line=28),
    *(
        line
        for turn in range(TURNS)
        for line in (
            Line(line=29),
            Line(line=13, depth=1, function="compute"),
            Line(line=14, depth=1, function="compute"),
            Line(line=30),
            Line(line=31, output=f"tick {turn} total {(turn + 1) ** 2}\n"),
            Line(line=28),
        )
    ),
    Line(line=33),
    Line(line=34, output="err line\ndone 100 -\n"),
    Line(line=36),
    Line(line=26, function="__libc_start_call_main", path=NO_SOURCE, depth=-1),
    Line(line=27, function="__libc_start_call_main", path=NO_SOURCE, depth=-1),
)
THREADS = (
    Line(line=40, output="pid ready\n"),
    Line(line=8, function="spin_once", thread=2),
    Line(line=9, function="spin_once", thread=2, seconds=1000.0),
)
SPINNING = (THREADS[0], THREADS[2])


class Client:
    """One conversation with the fake, message by message."""

    def __init__(self, stream: socket.socket, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._stream = stream
        self._stream.settimeout(PATIENCE)
        self._received = b""
        self.pid: int | None = None

    def send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        self._stream.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def next(self) -> Json | None:
        """The next message; None at the end of the stream."""
        while (end := self._received.find(b"\r\n\r\n")) < 0 or len(self._received) < end + 4 + self._length(end):
            data = self._stream.recv(65536)
            if not data:
                return None
            self._received += data
        start, length = end + 4, self._length(end)
        message = json.loads(self._received[start : start + length])
        self._received = self._received[start + length :]
        if found := re.match(r"Launched process (\d+)", str(message.get("body", {}).get("output"))):
            self.pid = int(found[1])
        return message

    def _length(self, end: int) -> int:
        return int(self._received[:end].rpartition(b":")[2])

    def close(self) -> None:
        self._stream.close()

    def end_program(self) -> None:
        """What stands for the program survives a fake that is killed."""
        if self.pid is not None and psutil.pid_exists(self.pid):
            psutil.Process(self.pid).kill()


@contextmanager
def connected(spec: CodelldbSpec, folder: Path) -> Generator[Client]:
    """The fake, which has called."""
    plan = LaunchPlan(kind="codelldb", program="")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        options = ("--connect", str(listener.getsockname()[1]), "--auth-token", "SECRET")
        command = (*FakeCodelldb(spec, folder).command(plan), *options)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            stream, _ = listener.accept()
            client = Client(stream, process)
            try:
                header = b"Auth-Token: SECRET\r\n"
                assert stream.recv(len(header), socket.MSG_WAITALL) == header
                yield client
            finally:
                stream.close()
                process.kill()
                client.end_program()


def spec(folder: Path, trace: tuple[Line, ...], *, source: str = "loop.c", **more: Any) -> CodelldbSpec:
    """A program of the recordings, in that folder instead of theirs."""
    for name in ("loop", "loop_link", "threads", "rs"):
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    threads = {1: "threads", 2: "worker-0"} if source == "threads.c" else {1: "loop"}
    program = ProgramSpec(path=str(folder / source), trace=trace, threads=threads, **more)
    return CodelldbSpec(program=program, pace=0.05)


@contextmanager
def replayed(name: str, spec: CodelldbSpec, folder: Path) -> Generator[Client]:
    """Send what the client of the recording sent, and compare what comes with what came then, message by message."""
    with connected(spec, folder) as client:
        entries = recording(name).entries
        if entries[0].message["command"] != "initialize":
            client.send(recording("launch-breakpoint").entries[0].message)
            assert client.next() is not None
        for entry in entries:
            if entry.direction == ">":
                with suppress(BrokenPipeError, ConnectionResetError):
                    client.send(_here(entry.message, folder, client.pid))
            elif entry.message.get("event") != "module":
                assert told(client, folder) == _comparable(entry.message)
        yield client


def told(client: Client, folder: Path) -> Json | None:
    """The next message that is not about a module, in the recording's words."""
    while (message := client.next()) is not None and message.get("event") == "module":
        pass
    if message is None:
        return None
    text = json.dumps(message).replace(str(folder), "/proj")
    if client.pid is not None:
        text = re.sub(rf"\b{client.pid}\b", "40001", text)
        text = re.sub(rf"\b{client.pid + 1}\b", "40002", text)
    return _comparable(json.loads(text))


def _here(message: Json, folder: Path, pid: int | None) -> Json:
    text = json.dumps(message).replace("/proj", str(folder))
    return json.loads(text if pid is None else text.replace("40001", str(pid)))


def _comparable(message: Json) -> Json:
    """Without what depends on the machine code of the recorded program."""
    message = {key: value for key, value in message.items() if key != "seq"}
    for frame in message.get("body", {}).get("stackFrames", []):
        for key in ("column", "instructionPointerReference", "moduleId", "source"):
            frame.pop(key, None)
    return message


LOOP_PROGRAM: dict[str, Any] = {"trace": LOOP, "moves": {25: 26}, "exit_code": 3}


@pytest.mark.parametrize(
    "name", ["launch-breakpoint", "stop-on-entry", "step-interrupted", "step-to-exit", "fail-cwd", "fail-program"]
)
def test_it_says_what_the_real_one_said(name: str, tmp_path: Path) -> None:
    with replayed(name, spec(tmp_path, **LOOP_PROGRAM), tmp_path) as client:
        client.close()
        assert client.process.wait(PATIENCE) == 0


def test_it_refuses_an_environment_that_is_no_text(tmp_path: Path) -> None:
    with replayed("fail-args", spec(tmp_path, **LOOP_PROGRAM), tmp_path):
        pass


def test_it_tells_of_filters_when_it_hears_of_other_languages(tmp_path: Path) -> None:
    rust = spec(tmp_path, source="rs.rs", trace=(Line(line=14),), moves={13: 14})
    with replayed("rust-late-capabilities", rust, tmp_path):
        pass


def test_it_knows_a_file_under_another_spelling(tmp_path: Path) -> None:
    linked = spec(tmp_path, source="link/loop2.c", **LOOP_PROGRAM)
    with replayed("symlink", linked, tmp_path):
        pass


@pytest.mark.parametrize("name", ["end-keep-paused", "end-keep-running", "end-term-running", "end-close-running"])
def test_it_ends_as_the_real_one_did(name: str, tmp_path: Path) -> None:
    threads = spec(tmp_path, trace=THREADS if "paused" in name else SPINNING, source="threads.c")
    with replayed(name, threads, tmp_path) as client:
        client.close()
        assert client.process.wait(PATIENCE) == 0
        assert client.pid is not None
        assert psutil.pid_exists(client.pid) is ("keep" in name)


def test_it_does_not_end_by_itself_before_its_launch_is_finished(tmp_path: Path) -> None:
    with replayed("disconnect-before-config", spec(tmp_path, **LOOP_PROGRAM), tmp_path) as client:
        client.close()
        with pytest.raises(subprocess.TimeoutExpired):
            client.process.wait(0.3)
        client.process.terminate()
        assert client.process.wait(PATIENCE) == -signal.SIGTERM


def test_it_dies_of_a_log_text_that_it_cannot_read(tmp_path: Path) -> None:
    with replayed("logpoint-panic", spec(tmp_path, **LOOP_PROGRAM), tmp_path) as client:
        assert told(client, tmp_path) is None
        assert client.process.wait(PATIENCE) == 255
    assert FakeCodelldb.faults_in(tmp_path) == ["the log text's {i +} cannot be read"]


def test_it_takes_its_time(tmp_path: Path) -> None:
    with connected(replace(spec(tmp_path, trace=SPINNING), pace=1.0), tmp_path) as client:
        launch(client, tmp_path)
        started = time.monotonic()
        client.send({"seq": 90, "type": "request", "command": "pause", "arguments": {"threadId": 0}})
        while (message := client.next()) is not None and message.get("request_seq") != 90:
            pass
        assert message is not None
        assert time.monotonic() - started > 0.1


def launch(client: Client, folder: Path) -> None:
    """The recorded handshake, without breakpoints, until the program runs."""
    entries = [entry.message for entry in recording("end-close-running").entries if entry.direction == ">"]
    client.send(recording("launch-breakpoint").entries[0].message)
    for message in entries:
        client.send(_here(message, folder, None))
    while (message := client.next()) is not None and message.get("body", {}).get("output") != "pid ready\r\n":
        pass
