"""Launch configurations: whose count, what is expanded, and why one cannot be run."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazydap_core.errors import InvalidLaunchConfig, StateFileInvalid, UsageError
from lazydap_core.launches import jsonc
from lazydap_core.launches.reading import find_launch, launch_json_path, read_launches
from lazydap_core.launches.vscode import Reading, read_text
from lazydap_core.launches.words import Variables, split_arguments
from lazydap_core.state_file import state_path

ENTRY: dict[str, Any] = {"name": "a", "type": "debugpy", "request": "launch", "program": "a.py"}


def _project(root: Path, *, ours: str = "", theirs: object = None) -> Reading:
    state_path(root).parent.mkdir(exist_ok=True)
    state_path(root).write_text(ours)
    if theirs is not None:
        launch_json_path(root).parent.mkdir(exist_ok=True)
        launch_json_path(root).write_text(theirs if isinstance(theirs, str) else json.dumps({"configurations": theirs}))
    return read_launches(root, {"HOME": "/home/u"})


def test_a_project_without_any_has_none(tmp_path: Path) -> None:
    assert read_launches(tmp_path, {}) == Reading()


def test_the_state_files_come_first_and_win_over_a_launch_json_of_the_same_name(tmp_path: Path) -> None:
    ours = '[[launch_configs]]\nname = "both"\nadapter = "debugpy"\nprogram = "ours.py"\n'
    reading = _project(tmp_path, ours=ours, theirs=[{**ENTRY, "name": "both"}, {**ENTRY, "name": "theirs"}])

    assert [(entry.name, entry.source) for entry in reading.configurations] == [
        ("both", "state.toml"),
        ("theirs", "launch.json"),
    ]
    assert len(reading.warnings) == 1
    assert "both" in reading.warnings[0]


def test_of_two_with_one_name_in_a_file_the_first_counts_and_that_is_said(tmp_path: Path) -> None:
    twins = [{**ENTRY, "program": "first.py"}, {**ENTRY, "program": "second.py"}]
    reading = _project(tmp_path, theirs=twins)
    assert find_launch(reading, "a").program == str(tmp_path / "first.py")
    assert reading.warnings == ("`a` stands 2 times in launch.json: the first is used",)

    ours = '[[launch_configs]]\nname = "a"\nadapter = "debugpy"\nprogram = "ours.py"\n'
    reading = _project(tmp_path, ours=ours, theirs=twins)
    assert find_launch(reading, "a").program == str(tmp_path / "ours.py")
    assert reading.warnings == ("`a` stands in state.toml and in launch.json: the one in state.toml is used",)


def test_a_table_of_the_state_file_is_read_whole_and_nothing_in_it_expanded(tmp_path: Path) -> None:
    ours = """
[[launch_configs]]
id = "ignored"
name = "x"
adapter = "delve"
kind = "attach"
program = "cmd/${workspaceFolder}"
args = ["a", "b c"]
cwd = "/abs"
env = { A = "1" }
stop_on_entry = true
[[launch_configs]]
name = "defaults"
"""
    first, second = _project(tmp_path, ours=ours).configurations

    assert first.program == f"{tmp_path}/cmd/${{workspaceFolder}}"
    assert (first.adapter, first.request, first.args, first.cwd) == ("delve", "attach", ("a", "b c"), "/abs")
    assert (first.env, first.stop_on_entry) == ({"A": "1"}, True)
    assert (second.adapter, second.request, second.args, second.cwd) == ("codelldb", "launch", (), None)


def test_a_table_that_cannot_be_read_is_left_out_and_named_by_its_index(tmp_path: Path) -> None:
    tables = ('name = "good"', 'program = "x"', 'name = "k"\nkind = "core"')
    ours = "".join(f"[[launch_configs]]\n{table}\n" for table in tables)
    reading = _project(tmp_path, ours=ours)
    assert [entry.name for entry in reading.configurations] == ["good"]
    assert [re.findall(r"configuration (\d)", warning) for warning in reading.warnings] == [["1"], ["2"]]


def test_tables_that_are_no_list_are_a_warning(tmp_path: Path) -> None:
    reading = _project(tmp_path, ours='launch_configs = "x"\n', theirs=[ENTRY])
    assert [entry.name for entry in reading.configurations] == ["a"]
    assert len(reading.warnings) == 1


def test_an_unknown_adapter_of_the_state_file_is_listed_and_cannot_be_run(tmp_path: Path) -> None:
    (entry,) = _project(tmp_path, ours='[[launch_configs]]\nname = "x"\nadapter = "gdb"\n').configurations
    assert (entry.adapter, entry.adapter_type) == (None, "gdb")
    assert "gdb" in (entry.not_runnable_reason or "")


def test_a_launch_json_that_is_no_json_leaves_the_others(tmp_path: Path) -> None:
    reading = _project(tmp_path, ours='[[launch_configs]]\nname = "x"\n', theirs='{"configurations": [1,,]}')
    assert [entry.name for entry in reading.configurations] == ["x"]
    # Newer Pythons name the comma, older ones what stands behind it.
    assert re.search(r"line 1, column 2[24]\b", reading.warnings[0])


def test_a_launch_json_that_is_no_text_leaves_the_others(tmp_path: Path) -> None:
    _project(tmp_path, theirs="{}")
    launch_json_path(tmp_path).write_bytes(b"\xff\xfe{}")
    assert len(read_launches(tmp_path, {}).warnings) == 1


def test_a_launch_json_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    launch_json_path(tmp_path).mkdir(parents=True)
    with pytest.raises(InvalidLaunchConfig, match="cannot be read"):
        read_launches(tmp_path, {})


def test_a_broken_state_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StateFileInvalid):
        _project(tmp_path, ours="= =")


def test_a_configuration_is_found_by_its_exact_name(tmp_path: Path) -> None:
    reading = _project(tmp_path, theirs=[{**ENTRY, "name": "Run"}, {**ENTRY, "name": "run"}])
    assert find_launch(reading, "run").name == "run"
    with pytest.raises(InvalidLaunchConfig, match="`Run`, `run`") as unknown:
        find_launch(reading, "RUN")
    assert unknown.value.details == {"name": "RUN", "available": ["Run", "run"]}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"args": "'x", "type": "node"}, "lone '"),
        ({"type": "node", "request": "attach"}, "node"),
        ({"request": "attach", "program": "${file}"}, "attaches"),
        ({"program": "${file}"}, r"\$\{file\}"),
        ({"program": None}, "no program"),
    ],
)
def test_one_that_cannot_be_run_says_the_first_reason(tmp_path: Path, entry: dict[str, Any], reason: str) -> None:
    reading = _project(tmp_path, theirs=[{**ENTRY, **entry}])
    with pytest.raises(InvalidLaunchConfig, match=reason) as refused:
        find_launch(reading, "a")
    assert refused.value.details == {
        "name": "a",
        "source": "launch.json",
        "adapter_type": entry.get("type", "debugpy"),
        "unresolved": ["${file}"] if "${file}" in str(entry) else [],
    }


@pytest.mark.parametrize(
    ("mode", "program", "told"),
    [
        (None, "main.go", None),
        ("auto", "main_test.go", None),
        ("debug", "cmd/tool", "debug"),
        ("test", "pkg", "test"),
        ("test", "pkg/a_test.go", "test"),
        ("exec", "built", "exec"),
    ],
)
def test_a_go_entry_keeps_its_mode(mode: str | None, program: str, told: str | None) -> None:
    entry = {**ENTRY, "type": "go", "program": program, "mode": mode}
    (configuration,) = read_text(json.dumps({"configurations": [entry]}), Path("/proj"), {}).configurations
    assert (configuration.is_runnable, configuration.mode) == (True, told)


@pytest.mark.parametrize(
    ("mode", "program", "reason"),
    [("core", "built", "`core`"), ("exec", "main.go", "built already"), ("test", "app.py", "a Go file or the folder")],
)
def test_a_go_entry_whose_mode_does_not_fit_is_not_run(mode: str, program: str, reason: str) -> None:
    entry = {**ENTRY, "type": "go", "program": program, "mode": mode}
    (configuration,) = read_text(json.dumps({"configurations": [entry]}), Path("/proj"), {}).configurations
    assert reason in (configuration.not_runnable_reason or "")


def test_the_file_a_person_looks_at_can_be_named() -> None:
    words = ("file", "fileDirname", "fileBasename", "fileBasenameNoExtension", "fileExtname", "relativeFile")
    text = json.dumps({"configurations": [{**ENTRY, "args": [f"${{{word}}}" for word in words]}]})
    (entry,) = read_text(text, Path("/proj"), {}, Path("/proj/src/x.test.py")).configurations
    assert entry.args == ("/proj/src/x.test.py", "/proj/src", "x.test.py", "x.test", ".py", "src/x.test.py")
    assert entry.is_runnable


def test_a_variable_that_is_unknown_is_remembered_once_wherever_it_stands() -> None:
    entry = {**ENTRY, "cwd": "${x}", "env": {"A": "${x}${y}"}, "pythonPath": "${z}", "args": "${y}"}
    reading = read_text(json.dumps({"configurations": [entry]}), Path("/proj"), {})
    assert sorted(reading.configurations[0].unresolved) == ["${x}", "${y}", "${z}"]
    assert len(reading.warnings) == 1


@pytest.mark.parametrize(
    ("text", "unresolved"), [("a${  b", ["${  b"]), ("a${", []), ("a${ 1", []), ("${a}${b", ["${a}", "${b"])]
)
def test_a_variable_never_closed_is_remembered_where_a_name_has_begun(text: str, unresolved: list[str]) -> None:
    variables = Variables(Path("/proj"), {})
    assert variables.expand(text) == text
    assert variables.unresolved == unresolved


@pytest.mark.parametrize("text", ["'", 'a "b', "a\\", '"\\"', "'a'b'"])
def test_a_quote_or_backslash_left_alone_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="lone"):
        split_arguments(text)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_a_shell_would_quote_is_split_back(arguments: list[str]) -> None:
    assert split_arguments(shlex.join(arguments)) == arguments


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NOISE = st.sampled_from([" ", "\n", '// x, ] "\n', "/* , } ' \" */", "/**/", "/*\n*/"])


@given(JSON, st.data())
def test_comments_and_a_last_comma_change_nothing(value: Any, data: st.DataObject) -> None:
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\[\]{},:"]+', json.dumps(value))
    text = ""
    for index, piece in enumerate(pieces):
        if piece in ("]", "}") and pieces[index - 1] not in ("[", "{") and data.draw(st.booleans()):
            text += ","
        text += data.draw(NOISE) + piece
    assert jsonc.parse(text + data.draw(NOISE)) == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("/* x\ny */ [1\n,, 2]", "line 3, column 2"),
        ("[1] /*/", "line 1, column 5"),
        ("[1] // x\n2", "line 2, column 1"),
        ("[,]", None),
        ("[NaN]", "NaN"),
        ("[" * 100000, "too deeply"),
    ],
)
def test_a_mistake_is_named_where_it_stands_in_the_file(text: str, place: str | None) -> None:
    if place is None:
        # A comma before a closing bracket is a trailing one, even with nothing before it.
        assert jsonc.parse(text) == []
        return
    with pytest.raises(ValueError, match=place):
        jsonc.parse(text)


@pytest.mark.parametrize(
    ("kind", "keys", "folders"),
    [
        ("debugpy", {"pathMappings": [{"localRoot": "${workspaceFolder}", "remoteRoot": "."}]}, {".": "/p"}),
        ("debugpy", {"pathMappings": [{"localRoot": "src", "remoteRoot": "/app"}]}, {"/app": "/p/src"}),
        ("python", {"localRoot": "/p/src", "remoteRoot": "/app"}, {"/app": "/p/src"}),
        ("go", {"substitutePath": [{"from": "${workspaceFolder}", "to": "/build"}]}, {"/build": "/p"}),
        ("go", {"substitutePath": [{"from": "", "to": "shop"}]}, {"shop": ""}),
        ("lldb", {"sourceMap": {"/build": "${workspaceFolder}", "/empty": None}}, {"/build": "/p", "/empty": ""}),
        ("lldb", {"sourceMap": [["/build", "."]]}, {"/build": "/p/."}),
        ("cppdbg", {"sourceFileMap": {"/a": "/b", "/c": {"editorPath": "/d"}}}, {"/a": "/b", "/c": "/d"}),
    ],
)
@pytest.mark.parametrize("request_", ["launch", "attach"])
def test_where_sources_lie_here_is_read_in_the_words_of_each_adapter(
    request_: str, kind: str, keys: dict[str, Any], folders: dict[str, str]
) -> None:
    entry = {**ENTRY, "type": kind, "request": request_, **keys}

    [read] = read_text(json.dumps({"configurations": [entry]}), Path("/p"), {}).configurations

    assert dict(read.source_map) == folders
