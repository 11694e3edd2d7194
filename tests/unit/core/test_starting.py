"""Starting a daemon, once however many ask, and saying why when it does not start."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from lazydap_core.client import starting
from lazydap_core.client.blocking import BlockingClient
from lazydap_core.client.starting import ensure_daemon
from lazydap_core.errors import DaemonUnreachable, ReplyTimedOut, VersionMismatch
from lazydap_core.paths import Places, places
from lazydap_core.protocol import requests, responses
from tests.fakes import daemon as fake
from tests.fakes.daemon import Script, running_daemon, write_script

FAKE = Path(fake.__file__)


class Stage:
    """A project whose daemon is the fake; `pids` are those of every fake that was started for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "project"
        self.root.mkdir()
        self.pidfile = folder / "pids"
        self.environ = {
            **os.environ,
            "HOME": str(folder),
            "LAZYDAP_RUNTIME_DIR": str(folder / "run"),
            "LAZYDAP_DATA_DIR": str(folder / "data"),
            "LAZYDAP_FAKE_SCRIPT": str(folder / "script.json"),
        }
        self.places: Places = places(self.root, instance="i", environ=self.environ)
        self.script({})

    def script(self, script: Script) -> None:
        write_script(self.folder, {"pidfile": str(self.pidfile), **script})

    def ensure(self) -> BlockingClient:
        return ensure_daemon(self.places, self.environ, start_file=FAKE)

    def client_process(self) -> "subprocess.Popen[bytes]":
        program = (
            "import os; from pathlib import Path; from lazydap_core.client.starting import ensure_daemon;"
            "from lazydap_core.paths import places;"
            f"found = places(Path({str(self.root)!r}), instance='i', environ=os.environ);"
            f"print(ensure_daemon(found, os.environ, start_file=Path({str(FAKE)!r})).pong.instance)"
        )
        command = [sys.executable, "-c", program]
        return subprocess.Popen(command, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self.pidfile.read_text().split()] if self.pidfile.exists() else []

    def live(self) -> list[int]:
        return [pid for pid in self.pids if psutil.pid_exists(pid)]

    def end(self) -> None:
        for pid in self.live():
            os.kill(pid, signal.SIGKILL)
        # Those of other client processes are reaped by whoever inherited them, or not at all.
        _until(lambda: all(_is_dead(pid) for pid in self.pids), "the fakes are dead")


def _until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.005)  # noqa: TID251  # this is the poll, and it has a deadline


def _is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def stage(short_folder: Path) -> Generator[Stage]:
    stage = Stage(short_folder)
    yield stage
    stage.end()


def test_a_daemon_that_runs_is_used(stage: Stage) -> None:
    with stage.ensure(), stage.ensure():
        assert len(stage.pids) == 1


def test_a_daemon_is_started_in_the_root_as_a_session_of_its_own_with_a_private_log(stage: Stage) -> None:
    stage.script({"log": ["hello"]})
    with stage.ensure() as client:
        status = client.request(requests.Status())

    assert isinstance(status, responses.Status)
    process = psutil.Process(status.daemon_pid)
    assert process.cwd() == str(stage.root)
    assert process.cmdline() == [sys.executable, "-E", str(FAKE), "--instance", "i"]
    assert os.getsid(process.pid) == process.pid
    if sys.platform == "linux":
        assert Path(f"/proc/{process.pid}/fd/0").readlink() == Path("/dev/null")
    assert stage.places.log.read_text() == "hello\n"
    assert stage.places.log.stat().st_mode & 0o777 == 0o600
    assert not stage.places.lock.exists()


def test_the_daemons_environment_has_no_python_of_the_clients(stage: Stage) -> None:
    unwanted = {"PYTHONHOME": "/nowhere", "PYTHONPATH": "/nowhere", "VIRTUAL_ENV": "/nowhere"}
    stage.environ |= unwanted
    stage.ensure().close()
    environment = psutil.Process(stage.pids[0]).environ()
    assert not unwanted.keys() & environment.keys()
    assert environment["HOME"] == stage.environ["HOME"]


def test_relative_folders_stay_the_same_for_a_daemon_that_stands_elsewhere(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stage.folder)
    stage.environ["LAZYDAP_RUNTIME_DIR"] = "run"
    stage.places = places(stage.root, instance="i", environ=stage.environ)
    stage.ensure().close()
    assert psutil.Process(stage.pids[0]).environ()["LAZYDAP_RUNTIME_DIR"] == str(stage.folder / "run")


def test_many_at_once_start_one_daemon(stage: Stage) -> None:
    stage.script({"pause": 0.2})
    with ThreadPoolExecutor(8) as pool:
        clients = [ask.result() for ask in [pool.submit(stage.ensure) for _ in range(8)]]

    assert len(stage.pids) == 1
    assert not stage.places.lock.exists()
    for client in clients:
        client.close()


def test_many_processes_at_once_start_one_daemon(stage: Stage) -> None:
    stage.script({"pause": 0.2})
    clients = [stage.client_process() for _ in range(6)]
    answers = [client.communicate(timeout=20)[0] for client in clients]

    assert answers == [b"i\n"] * 6
    assert len(stage.pids) == 1


def test_a_socket_left_behind_is_replaced(stage: Stage) -> None:
    with stage.ensure():
        os.kill(stage.pids[0], signal.SIGKILL)
    _until(lambda: not stage.live(), "the first daemon is gone")
    assert stage.places.socket.exists()

    with stage.ensure():
        assert len(stage.pids) == 2


def test_a_daemon_that_has_lost_its_socket_is_waited_for_and_no_second_one_started(stage: Stage) -> None:
    with stage.ensure():
        hidden = stage.places.socket.with_suffix(".away")
        stage.places.socket.rename(hidden)
        stage.places.pid.write_text(str(stage.pids[0]))
        # It makes the socket anew a moment later.
        later = threading.Timer(0.3, hidden.rename, [stage.places.socket])
        later.start()
        with stage.ensure():
            assert len(stage.pids) == 1
        later.join()


def test_a_number_left_behind_that_is_another_programs_by_now_delays_no_start(stage: Stage) -> None:
    stage.places.pid.write_text(str(os.getpid()))
    started = time.monotonic()
    with stage.ensure():
        assert time.monotonic() - started < starting.RENEW_SECONDS


def test_a_daemon_that_ends_at_once_is_reported_with_its_last_line_and_the_log(stage: Stage) -> None:
    stage.places.log.write_text("an old line\n")
    stage.script({"exit": 3, "log": ["first", "the state file is broken", "", "  "]})
    started = time.monotonic()

    with pytest.raises(DaemonUnreachable, match="the state file is broken") as failed:
        stage.ensure()

    assert time.monotonic() - started < 5
    assert str(stage.places.log) in failed.value.message
    assert failed.value.details == {"log": str(stage.places.log)}
    assert "\n" not in failed.value.message
    assert not stage.places.lock.exists()
    assert not stage.live()


def test_the_message_of_a_json_line_is_taken(stage: Stage) -> None:
    line = json.dumps({"error": "StateFileInvalid", "message": "line 3 is broken", "details": {}})
    stage.script({"exit": 1, "log": [line]})
    with pytest.raises(DaemonUnreachable, match="started: line 3 is broken"):
        stage.ensure()


def test_a_daemon_that_ends_without_a_word_is_reported_with_its_exit_code(stage: Stage) -> None:
    stage.places.log.write_text("an old line\n")
    stage.script({"exit": 7})
    with pytest.raises(DaemonUnreachable, match="exit code 7"):
        stage.ensure()


def test_a_daemon_that_never_listens_is_ended_at_the_deadline(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "START_SECONDS", 0.5)
    stage.script({"deaf": True})

    with pytest.raises(DaemonUnreachable, match="did not come up"):
        stage.ensure()

    assert not stage.live()
    assert not stage.places.lock.exists()


def test_a_daemon_that_never_answers_is_ended_when_it_was_ours(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    # Long enough for a Python to start on a busy machine: a daemon that does not listen yet has another fault.
    monkeypatch.setattr(starting, "START_SECONDS", 2.0)
    stage.script({"answers": {"Ping": [[{"silence": True}]]}})

    with pytest.raises(ReplyTimedOut):
        stage.ensure()

    assert len(stage.pids) == 1
    assert not stage.live()


def test_somebody_elses_daemon_that_does_not_answer_is_left_alone(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "START_SECONDS", 0.3)
    silent: Script = {"answers": {"Ping": [[{"silence": True}]]}}
    with running_daemon(stage.places.runtime, silent, "i") as other:
        stage.places.pid.write_text("4711")
        with pytest.raises(ReplyTimedOut, match="4711"):
            stage.ensure()
        assert other.process.poll() is None
    assert stage.pids == []


@pytest.mark.parametrize("version", [3, 11])
def test_a_daemon_of_another_version_is_not_replaced(stage: Stage, version: int) -> None:
    with running_daemon(stage.places.runtime, {"version": version}, "i") as other:
        with pytest.raises(VersionMismatch) as refused:
            stage.ensure()
        assert refused.value.details == {"client_version": 10, "daemon_version": version}
        assert other.asked() == ["Ping"]
    assert stage.pids == []


def test_a_daemon_somebody_else_has_started_meanwhile_is_used(stage: Stage) -> None:
    # What a start finds when another daemon was faster: its own child cannot bind, and ends.
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with running_daemon(stage.places.runtime, {}, "i"):
        client = starting._ready(stage.places, child, 0, time.monotonic() + 5)  # pyright: ignore[reportPrivateUsage]
        client.close()


def test_a_contender_takes_its_turn_when_the_lock_goes_without_a_daemon(stage: Stage) -> None:
    stage.places.lock.touch()
    with ThreadPoolExecutor(1) as pool:
        contender = pool.submit(stage.ensure)
        assert not contender.done()
        stage.places.lock.unlink()
        contender.result(10).close()
    assert len(stage.pids) == 1


def test_a_lock_that_is_held_too_long_is_reported(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "START_SECONDS", 0.2)
    stage.places.lock.touch()
    with pytest.raises(DaemonUnreachable, match="another program"):
        stage.ensure()
    assert stage.places.lock.exists()
    assert stage.pids == []


def test_a_lock_of_thirty_seconds_and_more_is_stolen(stage: Stage) -> None:
    stage.places.lock.touch()
    _age(stage.places.lock, 31)
    stage.ensure().close()
    assert not stage.places.lock.exists()
    assert list(stage.places.runtime.glob("*.stale-*")) == []


@pytest.mark.parametrize("age", [25, -100])
def test_a_younger_lock_is_not_stale(stage: Stage, monkeypatch: pytest.MonkeyPatch, age: int) -> None:
    monkeypatch.setattr(starting, "START_SECONDS", 0.1)
    stage.places.lock.touch()
    _age(stage.places.lock, age)
    with pytest.raises(DaemonUnreachable):
        stage.ensure()


def test_many_that_find_one_stale_lock_start_one_daemon(stage: Stage) -> None:
    stage.script({"pause": 0.1})
    stage.places.lock.touch()
    _age(stage.places.lock, 60)
    barrier = threading.Barrier(8)

    def ensure(_: int) -> BlockingClient:
        barrier.wait()
        return stage.ensure()

    with ThreadPoolExecutor(8) as pool:
        for client in pool.map(ensure, range(8)):
            client.close()
    assert len(stage.pids) == 1


def test_a_lock_that_was_taken_from_us_is_not_removed(stage: Stage) -> None:
    with starting._spawn_lock(stage.places) as taken:  # pyright: ignore[reportPrivateUsage]
        assert taken
        stage.places.lock.rename(stage.places.runtime / "taken")
        stage.places.lock.touch()
    assert stage.places.lock.exists()


def test_a_daemon_that_ends_later_leaves_no_zombie(stage: Stage) -> None:
    with stage.ensure() as client:
        client.request(requests.Shutdown())
    _until(lambda: not stage.live(), "the daemon is reaped")


def test_an_interrupt_while_starting_leaves_nothing_behind(stage: Stage) -> None:
    stage.script({"deaf": True})
    client = stage.client_process()
    _until(lambda: bool(stage.pids), "the daemon is being started")

    client.send_signal(signal.SIGINT)
    client.communicate(timeout=10)

    assert client.returncode == -signal.SIGINT
    assert not stage.live()
    assert not stage.places.lock.exists()


def test_a_log_that_cannot_be_written_is_said(stage: Stage) -> None:
    stage.places.log.mkdir()
    with pytest.raises(DaemonUnreachable, match=r"log .* cannot be opened"):
        stage.ensure()
    assert not stage.places.lock.exists()


def test_a_project_that_is_gone_is_said(stage: Stage) -> None:
    stage.root.rmdir()
    with pytest.raises(DaemonUnreachable, match="cannot be started in"):
        stage.ensure()


def _age(lock: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(lock, (moment, moment))
