"""What the editor may say."""

import json
from typing import Any

import pytest

from lazydap_nvim import verbs
from lazydap_nvim.verbs import UnknownVerbError, read

WHERE = {"file": "/p/a.py", "line": 4, "cwd": "/p"}


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ({"verb": "ack", "generation": 3, "where": []}, verbs.Ack(where=[], generation=3)),
        (
            {"verb": "hello", "cwd": "/p", "files": [], "pid": 7, "options": {"signs": {}}, "version": "0.11.4"},
            verbs.Hello(pid=7, options={"signs": {}}),
        ),
        ({"verb": "hello", "options": []}, verbs.Hello()),
        ({"verb": "opened", "file": "/p/a.py"}, verbs.Opened(file="/p/a.py")),
        ({"verb": "closed", "file": "/p/a.py"}, verbs.Closed(file="/p/a.py")),
        (
            {"verb": "break", "file": "/p/a.py", "line": 4, "ids": [1], "where": WHERE},
            verbs.Break(file="/p/a.py", line=4, ids=(1,), where=verbs.Where(**WHERE)),  # type: ignore[arg-type]
        ),
        (
            {"verb": "break", "file": "/p/a.py", "line": 4, "parts": {"condition": "x"}},
            verbs.Break(file="/p/a.py", line=4, parts={"condition": "x"}),
        ),
        ({"verb": "break", "function": "main", "parts": []}, verbs.Break(function="main")),
        ({"verb": "unbreak", "all": True}, verbs.Unbreak(all=True)),
        (
            {"verb": "launch", "args": "a b", "program": "a", "rest": "b", "bang": True, "filetype": "c"},
            verbs.Launch(args="a b", program="a", rest="b", bang=True, filetype="c"),
        ),
        ({"verb": "step", "kind": "in", "count": 3}, verbs.Step(kind="in", count=3)),
        ({"verb": "step"}, verbs.Step()),
        ({"verb": "chosen", "token": 2, "index": None}, verbs.Chosen(token=2)),
        ({"verb": "continue", "something": "new"}, verbs.Continue()),
        ({"verb": "frame", "id": 9}, verbs.Frame(id=9)),
        ({"verb": "disconnect"}, verbs.Disconnect()),
    ],
)
def test_what_the_editor_says_is_understood(said: dict[str, Any], heard: verbs.AnyVerb) -> None:
    assert read(json.dumps(said)) == heard


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"verb":"dance"}', '{"verb":"step","kind":"sideways"}', '{"verb":"ack"}', '"\udc80"']
)
def test_what_is_no_verb_is_refused(text: str) -> None:
    with pytest.raises(UnknownVerbError):
        read(text)
