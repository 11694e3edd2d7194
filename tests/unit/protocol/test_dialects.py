"""Each version reads and writes what it knows: every row of the table, on both sides of its change."""

import json
from typing import Any, cast
from uuid import UUID

import pytest

from lazydap_core.errors import Undecodable, Unencodable
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_core.protocol.codec import NEWEST, OLDEST, Payload, decode, encode
from lazydap_core.protocol.dialect import ROWS, Former, Variant, Word
from tests.contract.golden_data import golden_lines

SESSION = UUID("0b7e3c52-6f0e-4a57-9a51-2f3f5f0f7c11")
FRAME = objects.StackFrame(id=3, name="main", line=7, column=1)
VARIABLE = objects.Variable(name="x", value="5", evaluate_name="self.x", variables_reference=0)
LOCALS = objects.Locals(frame_id=3, variables_reference=4, variables=(VARIABLE,), truncated=True)
STOPPED = events.Stopped(
    session_id=SESSION,
    thread_id=1,
    adapter_thread_id=2,
    reason="step",
    all_threads_stopped=True,
    hit_breakpoint_ids=(),
)
STEPPED = responses.Stepped(
    state="paused",
    reason="step",
    thread_id=1,
    adapter_thread_id=2,
    all_threads_stopped=True,
    additional_stopped_threads=(),
    hit_breakpoint_ids=(),
    frame=FRAME,
    user_frame=FRAME,
    locals=LOCALS,
    captured_output=(),
    output_truncated=False,
    dropped_events=3,
    breakpoint_updates=(),
    thread_updates=(),
    elapsed_ms=1,
)
LAUNCHED = responses.Launched(
    session_id=SESSION,
    state="running",
    capabilities=objects.Capabilities(
        supports_configuration_done_request=True,
        supports_function_breakpoints=True,
        supports_conditional_breakpoints=True,
        supports_variable_paging=True,
    ),
    breakpoints=(),
)
VERSIONS = range(OLDEST, NEWEST + 1)
MESSAGES: dict[str, Payload] = {
    "Stopped": STOPPED,
    "Stepped": STEPPED,
    "Launched": LAUNCHED,
    "Variables": responses.Variables(variables=(VARIABLE,), truncated=True),
    "Threads": responses.Threads(threads=(objects.ThreadInfo(id=7),)),
    "Continued": responses.Continued(session_id=SESSION, thread_id=1, already_running=True),
    "Max": requests.Variables(session_id=SESSION, variables_reference=1, filter="all", max=9),
    "Doctor": requests.Doctor(check_state=False),
    "Delve": events.SessionStarted(session_id=SESSION, adapter="delve"),
    "Stale": responses.Error(code="StaleHandle", message="m", details={"handle": 3}),
    "Updated": responses.Breakpoints(
        action="updated", dry_run=False, breakpoints=(), not_found=(), applied_to_session=False
    ),
    "Unchanged": responses.Breakpoints(
        action="unchanged", dry_run=False, breakpoints=(), not_found=(), applied_to_session=False
    ),
}


LACKS = "lacks"
# Message, the version of the change, where to look, what is there before that version, and since.
CELLS: list[tuple[str, int, str, Any, Any]] = [
    ("Stopped", 7, "adapter_thread_id", LACKS, 2),
    ("Stepped", 7, "adapter_thread_id", LACKS, 2),
    ("Stepped", 7, "dropped_events", LACKS, 3),
    ("Stepped", 8, "user_frame.name", LACKS, "main"),
    ("Stepped", 8, "locals.frame_id", LACKS, 3),
    ("Launched", 7, "capabilities.supports_variable_paging", LACKS, True),
    ("Variables", 7, "variables.0.evaluate_name", LACKS, "self.x"),
    ("Variables", 8, "variables.0.name", "x", "x"),
    ("Variables", 8, "truncated", LACKS, True),
    ("Threads", 7, "0.name", "thread 7", LACKS),
    ("Continued", 8, "already_running", LACKS, True),
    ("Max", 8, "max", LACKS, 9),
    ("Doctor", 10, "", {"check_adapters": True, "check_state": False}, "Doctor"),
    ("Delve", 6, "adapter", "codelldb", "delve"),
    ("Stale", 8, "code", "BadRequest", "StaleHandle"),
    ("Updated", 9, "action", "added", "updated"),
    ("Unchanged", 9, "action", "added", "unchanged"),
]


def _body(payload: Payload, version: int) -> Any:
    """What stands under the variant's name."""
    tagged: Any = json.loads(encode(1, payload, version))["payload"]
    for _ in range(1 if isinstance(payload, responses.Error) else 2):
        if isinstance(tagged, dict):
            (tagged,) = cast("dict[str, Any]", tagged).values()
    return tagged


def _at(body: Any, path: str) -> Any:
    found = body
    for key in path.split(".") if path else ():
        items = cast("list[Any] | dict[str, Any] | str", found)
        if isinstance(items, dict):
            found = items.get(key, LACKS)
        elif isinstance(items, list) and key.isdigit():
            found = items[int(key)]
        elif key != "variables":
            return LACKS
        # Else it is the answer to Variables, which is the bare list before version 8.
    return found


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[0]}-{cell[1]}-{cell[2]}")
def test_a_row_of_the_table_holds_for_older_versions_and_no_longer_since(cell: tuple[str, int, str, Any, Any]) -> None:
    name, since, path, before, after = cell

    found = {version: _at(_body(MESSAGES[name], version), path) for version in VERSIONS}

    assert found == {version: before if version < since else after for version in VERSIONS}


def test_variables_are_a_bare_list_before_version_8() -> None:
    bare = [version for version in VERSIONS if isinstance(_body(MESSAGES["Variables"], version), list)]

    assert bare == [4, 5, 6, 7]


def test_the_cells_above_are_all_rows_but_those_of_watches() -> None:
    rows = [row for row in ROWS if not isinstance(row, Variant) and getattr(row, "word", "") != "watch_updated"]

    # One cell shows both fields that only older versions have.
    assert len(CELLS) == len(rows) - 1


@pytest.mark.parametrize("version", VERSIONS)
def test_watches_are_unknown_before_version_5(version: int) -> None:
    messages: list[Payload] = [
        requests.WatchList(),
        requests.WatchAdd(watch=objects.NewWatch(expression="x"), dry_run=False),
        requests.WatchRemove(selector=objects.Everything(), dry_run=False),
        responses.Watches(action="listed", dry_run=False, watches=(), not_found=()),
        events.WatchUpdated(watch_id=3),
    ]
    assert {type(message) for message in messages} == {row.of for row in ROWS if isinstance(row, Variant)}

    for message in messages:
        if version >= 5:
            assert decode(encode(1, message, version)).payload == message
            continue
        with pytest.raises(Unencodable, match="update the other side"):
            encode(1, message, version)
        with pytest.raises(Undecodable, match="unknown"):
            decode(encode(1, message).replace(b'"version":10', b'"version":%d' % version))


def test_the_channel_of_watches_is_unknown_before_version_5() -> None:
    subscribe = requests.Subscribe(channels=("stopped", "watch_updated"))

    with pytest.raises(Unencodable, match="watch_updated"):
        encode(1, subscribe, 4)
    assert decode(encode(1, subscribe, 5)).payload == subscribe


@pytest.mark.parametrize("version", VERSIONS)
def test_a_missing_field_reads_as_absent(version: int) -> None:
    stepped = decode(encode(1, STEPPED, version)).payload

    assert isinstance(stepped, responses.Stepped)
    assert stepped.adapter_thread_id == (2 if version >= 7 else None)
    assert stepped.dropped_events == (3 if version >= 7 else 0)
    assert stepped.locals == (LOCALS if version >= 8 else None)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_version_writes_it_reads_back_the_same(version: int) -> None:
    refused: set[str] = set()
    for line in golden_lines("v10/frames.jsonl"):
        payload = decode(line["json"].encode()).payload
        try:
            body = encode(1, payload, version)
        except Unencodable:
            refused.add(line["name"])
            continue
        read = decode(body)

        assert read.version == version
        assert type(read.payload) is type(payload)
        assert encode(1, read.payload, version) == body

    unknown = {"WatchList", "WatchAdd", "WatchRemove", "Watches", "WatchUpdated", "Subscribe"}
    assert refused == (unknown if version < 5 else set())


@pytest.mark.parametrize("version", VERSIONS)
def test_our_additions_go_to_every_version(version: int) -> None:
    pong = responses.Pong(version=version, instance="demo", uptime_ms=1, features=("stop_detail",))
    detail = events.StopDetail(session_id=SESSION, stop=objects.Stop(generation=1, frame=FRAME))
    launch = requests.Launch(
        adapter="debugpy",
        program="/p/a.py",
        args=(),
        cwd="/p",
        env={},
        stop_on_entry=False,
        options={"module": "app"},
    )
    subscribe = requests.Subscribe(channels=("stop_detail",))

    for payload in (pong, detail, launch, subscribe):
        assert decode(encode(1, payload, version)).payload == payload


@pytest.mark.parametrize("version", [0, 3, 11, 9999, 2**32 - 1])
def test_ping_and_shutdown_are_read_at_any_version(version: int) -> None:
    for request in (requests.Ping(), requests.Shutdown()):
        envelope = decode(encode(7, request, version))

        assert (envelope.version, envelope.id, envelope.payload) == (version, 7, request)


def test_a_request_of_a_coming_version_tells_whom_to_answer() -> None:
    with pytest.raises(Undecodable) as refused:
        decode(b'{"version":11,"id":5,"payload":{"Request":{"Teleport":{"to":"main"}}}}')

    assert (refused.value.version, refused.value.id) == (11, 5)


def test_every_row_names_a_version_between_the_oldest_and_the_newest() -> None:
    assert {OLDEST < (row.until if isinstance(row, Former) else row.since) <= NEWEST for row in ROWS} == {True}


def test_a_stand_in_is_a_word_that_the_version_has() -> None:
    for row in ROWS:
        if isinstance(row, Word) and row.stand_in is not None:
            assert not any(isinstance(r, Word) and r.word == row.stand_in for r in ROWS)
