"""What a tasks.json says is to be run before a launch."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.launches.tasks import Task, tasks_before
from lazydap_core.launches.vscode import read_text

ENVIRON = {"HOME": "/home/u", "NAME": "value"}


def written(root: Path, tasks: list[dict[str, Any]], **more: Any) -> Path:
    (root / ".vscode").mkdir(exist_ok=True)
    (root / ".vscode" / "tasks.json").write_text(json.dumps({"version": "2.0.0", "tasks": tasks, **more}))
    return root


def only(root: Path, name: str = "t") -> Task:
    (task,) = tasks_before(name, root, ENVIRON)
    return task


def refused(root: Path, name: str = "t") -> InvalidLaunchConfig:
    with pytest.raises(InvalidLaunchConfig) as caught:
        tasks_before(name, root, ENVIRON)
    return caught.value


def test_a_process_is_its_words_expanded(tmp_path: Path) -> None:
    args = ["-C", "${workspaceFolder}", "two words", "$HOME", {"value": "a b", "quoting": "strong"}]
    written(tmp_path, [{"label": "t", "type": "process", "command": "make", "args": args}])
    assert only(tmp_path) == Task("t", ("make", "-C", str(tmp_path), "two words", "$HOME", "a b"), str(tmp_path), {})


def test_a_shell_gets_one_line_in_which_arguments_stay_apart(tmp_path: Path) -> None:
    args = ["two words", "$HOME", "", {"value": "it's", "quoting": "strong"}, {"value": "a $b", "quoting": "weak"}]
    args.append({"value": "c d", "quoting": "escape"})
    written(tmp_path, [{"label": "t", "type": "shell", "command": "make all &&  echo", "args": args}])
    command = only(tmp_path).command
    assert command[:2] == ("/bin/sh", "-c")
    assert command[2] == """make all &&  echo 'two words' $HOME '' 'it'"'"'s' "a $b" c\\ d"""


def test_the_build_task_that_vs_code_writes_for_c_is_run(tmp_path: Path) -> None:
    args = ["-g", "${workspaceFolder}/*.c", "two words", "-o", "${workspaceFolder}/a"]
    task = {"type": "cppbuild", "label": "t", "command": "/my tools/gcc", "args": args, "problemMatcher": ["$gcc"]}
    written(tmp_path, [task])
    line = f"'/my tools/gcc' -g {tmp_path}/*.c 'two words' -o {tmp_path}/a"
    assert only(tmp_path).command == ("/bin/sh", "-c", line)


@pytest.mark.parametrize(
    ("task", "command"),
    [
        ({"type": "cargo", "command": "build", "args": ["--bin", "x"]}, ("cargo", "build", "--bin", "x")),
        ({"type": "cargo", "command": "cargo", "args": ["build"]}, ("cargo", "build")),
        ({"type": "go", "command": "build", "args": ["${workspaceFolder}"]}, ("go", "build", "{root}")),
        ({"type": "npm", "script": "build", "path": "web"}, ("npm", "run", "build")),
    ],
)
def test_a_task_of_an_extension_that_is_plainly_a_command_is_run(
    tmp_path: Path, task: dict[str, Any], command: tuple[str, ...]
) -> None:
    found = only(written(tmp_path, [{"label": "t", **task}]))
    assert found.command == tuple(word.replace("{root}", str(tmp_path)) for word in command)
    assert found.cwd == str(tmp_path / task.get("path", ""))


def test_another_shell_can_be_named(tmp_path: Path) -> None:
    options = {"shell": {"executable": "bash", "args": ["-l", "-c"]}}
    written(tmp_path, [{"label": "t", "type": "shell", "command": "x", "options": options}])
    assert only(tmp_path).command == ("bash", "-l", "-c", "x")


def test_folder_and_environment_come_from_the_file_and_the_task(tmp_path: Path) -> None:
    options = {"cwd": "sub", "env": {"B": "${env:NAME}"}}
    common = {"cwd": "/elsewhere", "env": {"A": "1", "B": "2"}}
    written(
        tmp_path, [{"label": "t", "command": "x", "options": options}, {"label": "u", "command": "y"}], options=common
    )
    task = only(tmp_path)
    assert (task.cwd, task.env) == (str(tmp_path / "sub"), {"A": "1", "B": "value"})
    assert only(tmp_path, "u").cwd == "/elsewhere"


def test_what_a_task_depends_on_runs_before_it_and_once(tmp_path: Path) -> None:
    tasks = [
        {"label": "t", "command": "t", "dependsOn": ["a", "b"]},
        {"label": "a", "command": "a", "dependsOn": "c"},
        {"label": "b", "command": "b", "dependsOn": "c"},
        {"label": "c", "command": "c"},
        {"label": "all", "dependsOn": ["b", "t"]},
    ]
    written(tmp_path, tasks)
    assert [task.label for task in tasks_before("t", tmp_path, ENVIRON)] == ["c", "a", "b", "t"]
    assert [task.label for task in tasks_before("all", tmp_path, ENVIRON)] == ["c", "b", "a", "t"]


def test_a_circle_is_refused(tmp_path: Path) -> None:
    tasks = [{"label": "t", "command": "x", "dependsOn": "u"}, {"label": "u", "command": "x", "dependsOn": "t"}]
    assert "depends on itself" in refused(written(tmp_path, tasks)).message


def test_the_default_build_task_has_a_name_of_its_own(tmp_path: Path) -> None:
    tasks = [
        {"label": "a", "command": "a", "group": "build"},
        {"label": "b", "command": "b", "group": {"kind": "build", "isDefault": True}},
    ]
    assert only(written(tmp_path, tasks), "${defaultBuildTask}").label == "b"


def test_the_older_key_for_the_label_is_read(tmp_path: Path) -> None:
    assert only(written(tmp_path, [{"taskName": "t", "command": "x"}])).command == ("x",)


def test_the_block_of_this_system_wins(tmp_path: Path) -> None:
    other = "linux" if sys.platform == "darwin" else "osx"
    this = "osx" if sys.platform == "darwin" else "linux"
    written(tmp_path, [{"label": "t", "command": "x", this: {"command": "ours"}, other: {"command": "theirs"}}])
    assert only(tmp_path).command == ("ours",)


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ({"command": "x", "isBackground": True}, "in the background"),
        ({"type": "cmake", "command": "build", "targets": ["all"]}, "is of type `cmake`: write it as `shell`"),
        ({"type": "typescript", "tsconfig": "tsconfig.json"}, "is of type `typescript`"),
        ({"type": "shell"}, "has no command"),
        ({"command": "${input:what}"}, "${input:what}"),
        ({"command": "x", "dependsOn": [{"type": "npm"}]}, "an extension"),
        ({"command": 3}, "cannot be read"),
    ],
)
def test_what_cannot_be_run_to_an_end_is_refused(tmp_path: Path, task: dict[str, Any], reason: str) -> None:
    error = refused(written(tmp_path, [{"label": "t", **task}]))
    assert reason in error.message
    assert error.details["task"] == "t"


def test_an_unknown_task_is_answered_with_those_there_are(tmp_path: Path) -> None:
    assert refused(tmp_path).details == {"task": "t", "available": []}
    error = refused(written(tmp_path, [{"label": "a", "command": "x"}, {"label": 3}, "nonsense"]))  # type: ignore[list-item]
    assert error.details == {"task": "t", "available": ["a"]}


@pytest.mark.parametrize("text", ["{", "[]", '{"tasks": 3, "options": 4}'])
def test_a_file_that_is_no_tasks_file_is_refused(tmp_path: Path, text: str) -> None:
    written(tmp_path, [])
    (tmp_path / ".vscode" / "tasks.json").write_text(text)
    assert "tasks.json" in refused(tmp_path).message


def test_a_configuration_of_launch_json_names_its_task(tmp_path: Path) -> None:
    entry = {"name": "n", "type": "python", "request": "launch", "program": "a.py"}
    text = json.dumps(
        {"configurations": [{**entry, "preLaunchTask": "t"}, {**entry, "preLaunchTask": {"type": "npm"}}]}
    )
    assert [found.pre_launch_task for found in read_text(text, tmp_path, ENVIRON).configurations] == ["t", None]
