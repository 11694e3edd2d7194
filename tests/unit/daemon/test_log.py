"""What the log keeps, how a line looks, and that the file stays small."""

import logging
import os
import re
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lazydap_daemon import log as log_module
from lazydap_daemon.log import OFF, TRACE, levels, start_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "daemon.log"


@contextmanager
def _logging_to(path: Path, environ: dict[str, str] | None = None) -> Generator[None]:
    """Have `path` as standard output and error, as a starter gives it to a daemon."""
    root = logging.getLogger()
    before, level, names = root.handlers, root.level, dict(logging.root.manager.loggerDict)
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in (1, 2):
        os.dup2(opened, descriptor)
    os.close(opened)
    try:
        start_log(path, environ or {})
        yield
    finally:
        for descriptor, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)
        root.handlers, root.level = before, level
        logging.addLevelName(logging.WARNING, "WARNING")
        for name in set(logging.root.manager.loggerDict) - set(names):
            logging.getLogger(name).setLevel(logging.NOTSET)
        for name in ("daemon", "dap.recv.event"):
            logging.getLogger(name).setLevel(logging.NOTSET)


def test_a_record_is_one_line_with_its_moment_level_target_and_fields(path: Path) -> None:
    with _logging_to(path):
        fields = {"socket": Path("/r/a b.sock"), "pid": 7}
        logging.getLogger("daemon.ipc").warning("two\nlines of %s", "text", extra={"fields": fields})

    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z  WARN daemon\.ipc: two\\nlines of text"
        r' socket="/r/a b\.sock" pid=7\n',
        path.read_text(),
    )


def test_a_fault_is_logged_with_its_traceback(path: Path) -> None:
    with _logging_to(path):
        try:
            int("never")
        except ValueError:
            logging.getLogger("daemon.session").exception("a fault")

    first, *rest = path.read_text().splitlines()
    assert first.endswith("ERROR daemon.session: a fault")
    assert rest[-1].startswith("ValueError: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"": logging.INFO}),
        ("debug", {"": logging.DEBUG}),
        ("WARN", {"": logging.WARNING}),
        ("off", {"": OFF}),
        ("4", {"": logging.DEBUG}),
        ("daemon=debug", {"": logging.ERROR, "daemon": logging.DEBUG}),
        ("info,dap.recv.event=trace", {"": logging.INFO, "dap.recv.event": TRACE}),
        (" dap.send , warn ", {"": logging.WARNING, "dap.send": TRACE}),
        ("daemon=loud", {"": logging.INFO}),
        ("daemon=debug,[span]=info", {"": logging.INFO}),
        ("9", {"": logging.INFO}),
    ],
)
def test_a_filter_is_read_and_an_unreadable_one_is_the_default(text: str, expected: dict[str, int]) -> None:
    assert levels(text) == expected


def test_the_variable_of_our_own_wins_over_the_general_one(path: Path) -> None:
    with _logging_to(path, {"LAZYDAP_LOG": "dap.recv.event=debug", "RUST_LOG": "trace"}):
        logging.getLogger("dap.recv.event").debug("kept")
        logging.getLogger("daemon.ipc").info("left out")

    assert [line.split(": ")[1] for line in path.read_text().splitlines()] == ["kept"]


def test_a_log_that_has_grown_becomes_the_one_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "LARGEST_LOG", 2000)
    monkeypatch.setattr(log_module, "CHECK_SECONDS", 0.0)
    with _logging_to(path):
        for number in range(100):
            logging.getLogger("daemon.ipc").info("record %d", number)
        os.write(1, b"from a child\n")

    old = path.with_name("daemon.log.1")
    assert sorted(found.name for found in path.parent.iterdir()) == ["daemon.log", "daemon.log.1"]
    assert 2000 <= old.stat().st_size < 2100
    assert path.stat().st_size < 2100
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = (old.read_text() + path.read_text()).splitlines()
    assert lines.pop() == "from a child"
    numbers = [int(line.rsplit(" ", 1)[1]) for line in lines]
    assert numbers == list(range(numbers[0], 100))


def test_a_log_that_somebody_removed_is_there_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "CHECK_SECONDS", 0.0)
    with _logging_to(path):
        logging.getLogger("daemon.ipc").info("before")
        path.unlink()
        logging.getLogger("daemon.ipc").info("after")

    assert path.read_text().endswith("after\n")


def test_output_that_is_not_the_log_file_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "LARGEST_LOG", 10)
    monkeypatch.setattr(log_module, "CHECK_SECONDS", 0.0)
    elsewhere = path.with_name("elsewhere")
    with _logging_to(elsewhere):
        start_log(path, {})
        for _ in range(3):
            logging.getLogger("daemon.ipc").info("a record longer than that")

    assert len(elsewhere.read_text().splitlines()) == 3
    assert not path.exists()
