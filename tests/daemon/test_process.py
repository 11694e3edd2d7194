"""The daemon as the process that clients start: its start, its end, and what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

import lazydap_daemon
from lazydap_core.client.blocking import BlockingClient
from lazydap_core.errors import DaemonUnreachable
from lazydap_core.paths import Places, places
from lazydap_core.protocol import objects, requests, responses
from lazydap_core.state_file import read_state

START = Path(lazydap_daemon.__file__).with_name("start.py")
INSTANCE = "p"
DEADLINE = 15.0
IDLE_MIB = 45


@pytest.fixture
def found(tmp_path: Path) -> Places:
    (tmp_path / "p" / ".lazydap").mkdir(parents=True)
    return places((tmp_path / "p").resolve(), instance=INSTANCE, environ=os.environ)


@contextmanager
def _started(found: Places, **variables: str) -> Generator[subprocess.Popen[bytes]]:
    """A daemon as a client starts it; killed at the end if it has not ended by itself."""
    with found.log.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-E", str(START), "--instance", INSTANCE],
            cwd=found.root,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(DEADLINE)


@contextmanager
def _serving(found: Places, **variables: str) -> Generator[tuple[subprocess.Popen[bytes], BlockingClient]]:
    with _started(found, **variables) as process, _connected(found, process) as client:
        yield process, client


def _connected(found: Places, process: subprocess.Popen[bytes]) -> BlockingClient:
    until = time.monotonic() + DEADLINE
    while True:
        try:
            return BlockingClient.connect(found.socket, timeout=DEADLINE)
        except DaemonUnreachable:
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"the daemon does not answer: {found.log.read_text()}")
            _pause()


def _pause() -> None:
    # A poll interval and no guess: every use of it is bounded by a deadline.
    time.sleep(0.01)  # noqa: TID251


def _add(client: BlockingClient, line: int) -> int:
    """Put a breakpoint on a line; returns its id."""
    breakpoint_ = objects.NewBreakpoint(source="a.py", line=line, enabled=True)
    answer = client.request(requests.BreakpointAdd(breakpoint=breakpoint_, dry_run=False))
    assert isinstance(answer, responses.Breakpoints)
    return answer.breakpoints[0].id


def _files(found: Places) -> list[str]:
    return sorted(path.name for folder in (found.runtime, found.data) for path in folder.iterdir())


def test_a_broken_state_file_fails_fast_and_leaves_neither_socket_nor_pid(found: Places) -> None:
    (found.root / ".lazydap" / "state.toml").write_text("breakpoints = 3\n")
    begun = time.monotonic()
    with _started(found) as process:
        assert process.wait(DEADLINE) == 1

    assert time.monotonic() - begun < 3
    assert _files(found) == [found.log.name]
    told = json.loads(found.log.read_text().splitlines()[-1])
    assert sorted(told) == ["details", "error", "message"]
    assert str(found.root / ".lazydap" / "state.toml") in told["message"]
    assert "breakpoints" in told["message"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_in_order(found: Places, number: signal.Signals) -> None:
    with _serving(found) as (process, client):
        _add(client, 7)
        process.send_signal(number)
        process.send_signal(number)
        assert process.wait(DEADLINE) == 0

    assert _files(found) == [found.log.name]
    assert [entry.line for entry in read_state(found.root).breakpoints] == [7]
    assert number.name in found.log.read_text()


def test_shutdown_takes_less_than_a_second(found: Places) -> None:
    with _serving(found) as (process, client):
        _add(client, 7)
        begun = time.monotonic()
        assert isinstance(client.request(requests.Shutdown()), responses.ShuttingDown)
        while found.socket.exists():
            assert time.monotonic() - begun < 1
            _pause()
        assert process.wait(DEADLINE) == 0

    assert _files(found) == [found.log.name]
    assert len(read_state(found.root).breakpoints) == 1


def test_a_second_daemon_is_refused_and_the_first_goes_on(found: Places) -> None:
    with _serving(found) as (first, client):
        with _started(found) as second:
            assert second.wait(DEADLINE) == 1
        status = client.request(requests.Status())
        assert isinstance(status, responses.Status)
        assert status.daemon_pid == first.pid
        assert found.pid.read_text() == str(first.pid)

    assert "already runs" in json.loads(found.log.read_text().splitlines()[-1])["message"]


def test_of_several_daemons_started_at_once_one_serves_and_the_others_leave(found: Places) -> None:
    with _started(found) as a, _started(found) as b, _started(found) as c:
        until = time.monotonic() + DEADLINE
        while sum(one.poll() is not None for one in (a, b, c)) < 2:
            assert time.monotonic() < until
            _pause()
        (winner,) = (one for one in (a, b, c) if one.poll() is None)
        with _connected(found, winner) as client:
            status = client.request(requests.Status())
            assert isinstance(status, responses.Status)
            assert status.daemon_pid == winner.pid
            assert found.pid.read_text() == str(winner.pid)


def test_what_a_killed_daemon_left_is_replaced(found: Places) -> None:
    with _serving(found) as (first, _):
        first.kill()
        first.wait(DEADLINE)
    assert found.socket.exists()

    with _serving(found) as (second, client):
        assert isinstance(client.request(requests.Status()), responses.Status)
        assert found.pid.read_text() == str(second.pid)


def test_a_daemon_killed_right_behind_its_answer_loses_nothing_and_gives_no_id_away_twice(found: Places) -> None:
    for line in (1, 2, 3):
        with _serving(found) as (process, client):
            assert _add(client, line) == line
            process.kill()
            process.wait(DEADLINE)

    assert {entry.id: entry.line for entry in read_state(found.root).breakpoints} == {1: 1, 2: 2, 3: 3}


def test_a_log_over_its_bound_is_moved_away_at_the_start(found: Places) -> None:
    found.log.write_bytes(b"old\n" * (10 * 2**20 // 4))
    with _serving(found):
        pass

    assert found.log.with_name(f"{found.log.name}.1").stat().st_size == 10 * 2**20
    assert "daemon listening" in found.log.read_text()


def test_an_unused_daemon_ends_after_the_time_that_the_user_has_set(found: Places) -> None:
    (found.root / "short.toml").write_text("[daemon]\nidle_exit_minutes = 0.005\n")
    # Named from where the daemon starts, though it goes elsewhere.
    with _serving(found, LAZYDAP_CONFIG_PATH="short.toml") as (process, client):
        client.close()
        assert process.wait(DEADLINE) == 0

    assert _files(found) == [found.log.name]


def test_a_broken_configuration_is_told_and_keeps_no_daemon_from_starting(found: Places) -> None:
    (found.root / "bad.toml").write_text("= =")
    with _serving(found, LAZYDAP_CONFIG_PATH="bad.toml") as (_, client):
        assert isinstance(client.request(requests.Status()), responses.Status)

    assert "bad.toml" in found.log.read_text()


def test_an_idle_daemon_is_small_and_holds_no_folder(found: Places) -> None:
    with _serving(found) as (process, client):
        status = client.request(requests.Status())
        assert isinstance(status, responses.Status)
        assert status.root == str(found.root)
        running = psutil.Process(process.pid)
        assert running.cwd() == "/"
        assert running.memory_info().rss / 2**20 < IDLE_MIB


def test_a_socket_path_that_is_too_long_is_told_in_one_line(found: Places) -> None:
    folder = found.runtime / ("x" * 90)
    with _started(found, LAZYDAP_RUNTIME_DIR=str(folder)) as process:
        assert process.wait(DEADLINE) == 1

    told = json.loads(found.log.read_text().splitlines()[-1])
    assert told["error"] == "DaemonUnreachable"
    assert "100" in told["message"]
