"""What the older command line was seen to do: the same words must make the same requests and print the same answers.

The recordings are in tests/contract/conversations. A daemon that plays its part of them stands in for the real one.
"""

import json
import os
import shutil
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lazydap_cli.running import run
from tests.house.surroundings import Folders

RECORDINGS = Path(__file__).parents[1] / "contract" / "conversations"
WRAPPED = {"Threads": "threads", "Scopes": "scopes"}
"""Answers that are bare arrays on the wire and have a name in print."""

Json = dict[str, Any]


@dataclass
class Exchange:
    """One command as it was recorded: what it asked after the greeting and the status, and what it was told."""

    file: str
    argv: list[str]
    format: str | None
    code: int
    row: Json
    asked: list[Any] = field(default_factory=list[Any])
    told: list[Json] = field(default_factory=list[Json])

    def __str__(self) -> str:
        return f"{self.file}: {' '.join(self.argv)}"


def exchanges() -> Iterator[Exchange]:
    for path in sorted(RECORDINGS.glob("v10-*.jsonl")):
        asked: list[Any] = []
        told: list[Json] = []
        rows: list[Json] = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        by_hand = {row["conn"] for row in rows if row["dir"] == "raw"}
        for row in rows:
            if row.get("conn") in by_hand:
                continue
            if row.get("dir") == "cli-end":
                yield Exchange(path.stem, row["argv"], row.get("fmt"), row["rc"], row, asked, told)
                asked, told = [], []
            elif row.get("dir") == "c>d" and "json" in row:
                asked.append(row["json"]["payload"]["Request"])
            elif row.get("dir") == "d>c" and "json" in row:
                told.append(row["json"]["payload"])


def is_playable(exchange: Exchange) -> bool:
    """Whether the recording holds what the command was told; frames that repeat were left out of it."""
    first = exchange.argv[0]
    if first in ("launch", "shutdown") and not exchange.told:
        return False
    if first == "status":
        return any("Status" in payload.get("Response", {}) for payload in exchange.told)
    if exchange.row.get("stdout_is"):
        return any(exchange.row["stdout_is"] in payload.get("Response", {}) for payload in exchange.told)
    return True


ALL = [exchange for exchange in exchanges() if is_playable(exchange)]


class Player:
    """A daemon that answers one command as it was answered then."""

    def __init__(self, exchange: Exchange, socket_path: Path) -> None:
        self.requests: list[Any] = []
        self._answers = {self._name(asked): told for asked, told in zip(exchange.asked, exchange.told, strict=True)}
        self._session = self._session_of(exchange)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(socket_path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    @staticmethod
    def _name(request: Any) -> str:
        return request if isinstance(request, str) else next(iter(request))

    def _session_of(self, exchange: Exchange) -> Json | None:
        named: list[Json] = [next(iter(asked.values())) for asked in exchange.asked if not isinstance(asked, str)]
        if isinstance(exchange.row.get("stdout"), dict):
            named.append(exchange.row["stdout"])
        return next((self._summary(keys["session_id"]) for keys in named if "session_id" in keys), None)

    @staticmethod
    def _summary(session_id: str) -> Json:
        return {
            "session_id": session_id,
            "adapter": "debugpy",
            "program": "/p",
            "state": "paused",
            "exit_code": None,
            "buffered_events": 0,
            "captured_output_chunks": 0,
            "dropped_events": 0,
            "uptime_ms": 1,
        }

    def _answer(self, request: Any) -> Json:
        name = self._name(request)
        if name in self._answers:
            return self._answers[name]
        status: Json = {"instance": "x", "daemon_pid": 1, "uptime_ms": 1, "protocol_version": 10}
        derivable: dict[str, Json] = {
            "Ping": {"Pong": {"version": 10, "instance": "x", "uptime_ms": 1}},
            "Status": {"Status": {**status, "lazydap_version": "0", "session": self._session}},
        }
        return {"Response": derivable[name]}

    def _serve(self) -> None:
        while True:
            try:
                stream, _ = self._listener.accept()
            except OSError:
                return
            with stream:
                while header := stream.recv(4, socket.MSG_WAITALL):
                    body = json.loads(stream.recv(struct.unpack(">I", header)[0], socket.MSG_WAITALL))
                    request = body["payload"]["Request"]
                    self.requests.append(request)
                    answer = json.dumps({"version": 10, "id": body["id"], "payload": self._answer(request)}).encode()
                    stream.sendall(struct.pack(">I", len(answer)) + answer)


@pytest.mark.parametrize("exchange", ALL, ids=str)
def test_a_recorded_command_asks_and_prints_the_same(
    exchange: Exchange, private_folders: Folders, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    project = private_folders.home.parent / "p"
    shutil.copytree(RECORDINGS / "proj", project)
    monkeypatch.chdir(project)
    # Where no adapter can be found, as when the recording was made; but debugpy has its interpreter.
    monkeypatch.setenv("PATH", str(interpreter_folder(private_folders)))
    exchange = placed(exchange, project)
    argv = ["--instance", "x", *(["--format", exchange.format] if exchange.format else []), *exchange.argv]
    (private_folders.runtime / "l").mkdir(mode=0o700)
    player = Player(exchange, private_folders.runtime / "l" / "lazydap-x.sock")
    try:
        code = run(argv, os.environ)
    finally:
        player.close()
    out, err = capfd.readouterr()
    assert code == exchange.code, err
    assert_same_requests(player.requests, exchange)
    assert_same_output(out, exchange)
    assert_same_error(err, exchange)


def interpreter_folder(folders: Folders) -> Path:
    folder = folders.home / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(sys.executable)
    return folder


def placed(exchange: Exchange, project: Path) -> Exchange:
    """The recording with its project where ours is."""
    parts = [exchange.argv, exchange.row, exchange.asked, exchange.told]
    argv, row, asked, told = json.loads(json.dumps(parts).replace("/proj", str(project)))
    return Exchange(exchange.file, argv, exchange.format, exchange.code, row, asked, told)


def assert_same_requests(requests: list[Any], exchange: Exchange) -> None:
    expected = [request for request in exchange.asked if request not in ("Ping", "Status")]
    made = [request for request in requests if request not in ("Ping", "Status")]
    for request in (*expected, *made):
        if "Launch" in request:
            assert Path(request["Launch"].pop("adapter_command")).name == "python3"
    # A shutdown may have been left out of the recording by its own answer.
    assert made == expected


def assert_same_output(out: str, exchange: Exchange) -> None:
    if "stdout_is" in exchange.row:
        name = exchange.row["stdout_is"]
        answer = next(told["Response"][name] for told in exchange.told if name in told.get("Response", {}))
        expected = {WRAPPED[name]: answer} if name in WRAPPED else answer
    else:
        expected = exchange.row.get("stdout")
    if isinstance(expected, str):
        assert out == expected
    elif expected is not None:
        assert json.loads(out) == expected
        assert out == json.dumps(expected, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    else:
        assert out == ""


def assert_same_error(err: str, exchange: Exchange) -> None:
    if "stderr_is" in exchange.row:
        error = exchange.told[-1]["Error"]
        message = f"{error['code']}: {error['message']}"
        assert json.loads(err) == {"error": error["code"], "message": message, "details": error["details"]}
        return
    expected: Any = exchange.row.get("stderr", "")
    if isinstance(expected, str):
        assert err.partition(":")[0] == expected.partition(":")[0]
        return
    made = json.loads(err)
    # What is said is each program's own; what it is called is not.
    assert made["error"] == expected["error"]
    for key in expected["details"].keys() - {"searched"}:
        assert made["details"][key] == expected["details"][key]
