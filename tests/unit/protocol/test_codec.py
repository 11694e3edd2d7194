"""The codec reads what is meant, refuses the rest with one kind of error, and says whom to answer."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.errors import Undecodable, Unencodable
from lazydap_core.protocol import events, objects, requests, responses
from lazydap_core.protocol.codec import Payload, decode, encode

SESSION = UUID("0b7e3c52-6f0e-4a57-9a51-2f3f5f0f7c11")


def _request(text: str) -> Any:
    return decode(f'{{"version":10,"id":1,"payload":{{"Request":{text}}}}}'.encode()).payload


def _step(**changes: str) -> str:
    fields = {"session_id": f'"{SESSION}"', "kind": '"over"', "wait": '"NoWait"'} | changes
    return '{"Step":{' + ",".join(f'"{key}":{value}' for key, value in fields.items()) + "}}"


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (requests.Ping(), '"Ping"'),
        (requests.Doctor(), '"Doctor"'),
        (
            requests.Step(session_id=SESSION, kind="in", wait=objects.Wait(timeout_ms=5)),
            f'{{"Step":{{"session_id":"{SESSION}","thread_id":null,"kind":"in","wait":{{"Wait":{{"timeout_ms":5}}}}}}}}',
        ),
        (
            requests.BreakpointRemove(selector=objects.ByIds(ids=(1, 2)), dry_run=True),
            '{"BreakpointRemove":{"selector":{"Ids":[1,2]},"dry_run":true}}',
        ),
        (
            requests.BreakpointToggle(
                selector=objects.ByLocation(location=objects.Location(source="/p/a.py", line=3)), dry_run=False
            ),
            '{"BreakpointToggle":{"selector":{"Location":{"source":"/p/a.py","line":3}},"dry_run":false}}',
        ),
        (
            requests.WatchRemove(selector=objects.ByExpression(expression="x"), dry_run=False),
            '{"WatchRemove":{"selector":{"Expression":"x"},"dry_run":false}}',
        ),
        (
            requests.WatchRemove(selector=objects.Everything(), dry_run=False),
            '{"WatchRemove":{"selector":"All","dry_run":false}}',
        ),
    ],
)
def test_a_request_is_written_as_the_one_key_object_of_its_name(payload: requests.Request, text: str) -> None:
    assert encode(3, payload) == b'{"version":10,"id":3,"payload":{"Request":%s}}' % text.encode()
    assert _request(text) == payload


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("terminated", '"terminated"'),
        (objects.Exited(exit_code=3), '{"exited":{"exit_code":3}}'),
        (objects.AdapterDied(detail="gone"), '{"adapter_died":{"detail":"gone"}}'),
    ],
)
def test_an_end_reason_is_a_word_or_an_object(reason: objects.EndReason, text: str) -> None:
    body = encode(0, events.SessionEnded(session_id=SESSION, reason=reason))

    assert body.endswith(f'"reason":{text}}}}}}}}}'.encode())
    assert decode(body).payload == events.SessionEnded(session_id=SESSION, reason=reason)


def test_lists_of_threads_and_scopes_travel_bare() -> None:
    scope = objects.Scope(name="Locals", variables_reference=4, expensive=False)

    assert b'{"Threads":[{"id":1}]}' in encode(1, responses.Threads(threads=(objects.ThreadInfo(id=1),)))
    assert b'{"Scopes":[{"name":"Locals",' in encode(1, responses.Scopes(scopes=(scope,)))


@pytest.mark.parametrize(
    "text",
    [
        '{"Ping":{}}',
        '{"Ping":null,"Status":null}',
        '["Ping"]',
        "null",
        '"Launch"',
        '"Nope"',
        '{"Step":null}',
        _step(kind='"next"'),
        _step(kind='{"over":null,"in":null}'),
        _step(kind='{"over":1}'),
        _step(wait='"Wait"'),
        _step(wait="{}"),
        _step(wait='{"Wait":null}'),
        _step(wait='{"NoWait":{}}'),
        _step(wait='{"Wait":{},"Later":1}'),
        _step(thread_id="1.0"),
        _step(thread_id="-0"),
        _step(thread_id="true"),
        _step(thread_id='"1"'),
        _step(thread_id=str(2**63)),
        _step(session_id='"not-a-uuid"'),
        f'{{"Output":{{"session_id":"{SESSION}","since_ms":{2**64}}}}}',
        '{"BreakpointRemove":{"selector":{"Expression":"x"},"dry_run":false}}',
        '{"Subscribe":{"channels":["all"]}}',
    ],
)
def test_a_request_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(Undecodable) as refused:
        _request(text)

    assert (refused.value.version, refused.value.id) == (10, 1)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ('{"Ping":null}', requests.Ping()),
        (_step(kind='{"over":null}'), requests.Step(session_id=SESSION, kind="over", wait=objects.NoWait())),
        (_step(wait='{"NoWait":null}'), requests.Step(session_id=SESSION, kind="over", wait=objects.NoWait())),
        (_step(wait='{"Wait":{}}'), requests.Step(session_id=SESSION, kind="over", wait=objects.Wait())),
        (_step(future="[1]"), requests.Step(session_id=SESSION, kind="over", wait=objects.NoWait())),
        ('{"Subscribe":{"channels":[{"stopped":null}]}}', requests.Subscribe(channels=("stopped",))),
        (
            '{"BreakpointRemove":{"selector":{"All":null},"dry_run":true}}',
            requests.BreakpointRemove(selector=objects.Everything(), dry_run=True),
        ),
    ],
)
def test_other_spellings_of_the_same_are_read(text: str, payload: requests.Request) -> None:
    assert _request(text) == payload


def test_a_minus_zero_within_text_is_no_number() -> None:
    text = f'{{"Eval":{{"session_id":"{SESSION}","expression":"[1,-0]","context":"repl"}}}}'

    assert _request(text).expression == "[1,-0]"


@pytest.mark.parametrize(("depth", "is_read"), [(124, True), (125, False), (100_000, False)])
def test_details_may_nest_as_deep_as_others_read(depth: int, is_read: bool) -> None:
    nested = "[" * depth + "]" * depth
    body = (
        f'{{"version":10,"id":1,"payload":{{"Error":{{"code":"Timeout","message":"m","details":{nested}}}}}}}'.encode()
    )

    if is_read:
        assert isinstance(decode(body).payload, responses.Error)
    else:
        with pytest.raises(Undecodable):
            decode(body)


@pytest.mark.parametrize(
    ("body", "version", "identity"),
    [
        (b'{"version":10,"id":3,"payload":{"Request":"Nope"}}', 10, 3),
        (b'{"version":4294967296,"id":3,"payload":{}}', None, None),
        (b'{"version":10,"id":18446744073709551616,"payload":{"Request":"Ping"}}', None, None),
        (b'{"version":10}', None, None),
        (b"\xff", None, None),
        (b"", None, None),
    ],
)
def test_an_unreadable_body_tells_version_and_id_where_it_has_them(
    body: bytes, version: int | None, identity: int | None
) -> None:
    with pytest.raises(Undecodable) as refused:
        decode(body)

    assert (refused.value.version, refused.value.id) == (version, identity)


def test_text_that_is_not_unicode_cannot_be_sent() -> None:
    request = requests.Eval(session_id=SESSION, expression="\udc80", context="repl")

    with pytest.raises(Unencodable, match="Eval"):
        encode(1, request)


def test_details_are_sorted_and_their_ids_and_paths_are_text() -> None:
    details = {"b": [1.5, 1e300, -0.0], "a": SESSION, "path": PurePosixPath("/p")}

    body = encode(1, responses.Error(code="Timeout", message="m", details=details))

    assert body.endswith(b'"details":{"a":"%s","b":[1.5,1e+300,-0.0],"path":"/p"}}}}' % str(SESSION).encode())


@pytest.mark.parametrize("details", [{"x": float("nan")}, {("a", "b"): 1}, {"x": "\udc80"}])
def test_details_that_json_cannot_hold_are_refused(details: Any) -> None:
    with pytest.raises(Unencodable):
        encode(1, responses.Error(code="Timeout", message="m", details=details))


def test_words_of_the_adapter_are_spelled_as_ours_wherever_they_are_known() -> None:
    chunk = objects.OutputChunk(category="STD-ERR", output="x", timestamp_ms=1)
    stopped = events.Stopped(
        session_id=SESSION, reason="Data Breakpoint", all_threads_stopped=True, hit_breakpoint_ids=()
    )

    assert (chunk.category, stopped.reason) == ("stderr", "data_breakpoint")
    assert objects.OutputChunk(category="important", output="x", timestamp_ms=1).category == "important"


def test_the_environment_is_written_in_the_order_of_its_names() -> None:
    launch = requests.Launch(
        adapter="debugpy", program="/a", args=(), cwd="/", env={"é": "2", "b": "1"}, stop_on_entry=False
    )

    assert b'"env":{"b":"1","\xc3\xa9":"2"}' in encode(1, launch)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
_NAMES = st.sampled_from(["Ping", "Launch", "Step", "Subscribe", "Doctor", "Stepped", "Stopped", "Threads", "Nope"])
_KINDS = st.sampled_from(["Request", "Response", "Event", "Error", "Other"])


@given(_KINDS, _NAMES, _JSON, st.integers(-1, 12))
def test_no_json_gives_another_error_than_undecodable(kind: str, name: str, value: Any, version: int) -> None:
    for payload in ({kind: value}, {kind: name}, {kind: {name: value}}, value):
        body = json.dumps({"version": version, "id": 1, "payload": payload}).encode()
        try:
            envelope = decode(body)
        except Undecodable:
            continue
        assert envelope.version == version
        assert decode(encode(1, envelope.payload, version)) == envelope


@given(st.binary(max_size=200))
def test_no_bytes_give_another_error_than_undecodable(body: bytes) -> None:
    with suppress(Undecodable):
        assert encode(1, decode(body).payload)


@pytest.mark.parametrize("payload", [requests.Ping(), responses.Pong(version=10, instance="i", uptime_ms=1)])
def test_a_number_beyond_64_bits_is_refused_where_it_stands(payload: Payload) -> None:
    body = (
        encode(1, payload).replace(b'"id":1', b'"id":%d' % 2**64).replace(b'"uptime_ms":1', b'"uptime_ms":%d' % 2**64)
    )

    with pytest.raises(Undecodable, match=str(2**64 - 1)):
        decode(body)


def test_importing_the_codec_makes_no_decoder_and_loads_nothing_heavy() -> None:
    script = "import sys; import lazydap_core.protocol.codec as c; print(len(c._dialects), *sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    made, *modules = run.stdout.split()

    assert made == "0"
    assert not {"asyncio", "anyio", "json", "tomlkit", "socket", "subprocess", "argparse"} & set(modules)
