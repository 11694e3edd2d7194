"""Owns `launches list` and `launches run`: what the project's files say can be launched."""

import subprocess
from collections.abc import Sequence
from typing import Any, Final

from lazydap_cli import streams
from lazydap_cli.answers import check_complete, check_inputs, given_file, given_inputs, options_lacking
from lazydap_cli.call import Call
from lazydap_cli.programs import Order, carry_out, found_path, strict_config
from lazydap_cli.results import Listing, Single
from lazydap_core.errors import InvalidLaunchConfig
from lazydap_core.launches.configuration import LaunchConfiguration
from lazydap_core.launches.inputs import Input
from lazydap_core.launches.reading import find_launch, read_launches, said_of
from lazydap_core.launches.tasks import Task, tasks_before
from lazydap_core.protocol.objects import LaunchOptions

COLUMNS: Final = ("name", "source", "adapter", "request", "program", "runnable")


def listed(call: Call) -> Listing:
    """The configurations of the project; never starts a daemon."""
    reading = read_launches(call.places.root, call.environ)
    rows = [_row(configuration) for configuration in reading.configurations]
    return Listing(
        {"configs": rows, "warnings": list(reading.warnings)},
        rows,
        [configuration.name for configuration in reading.configurations],
        COLUMNS,
        [_cells(configuration, reading.inputs) for configuration in reading.configurations],
        "\n".join(f"warning: {warning}" for warning in reading.warnings) or None,
    )


def _row(configuration: LaunchConfiguration) -> dict[str, Any]:
    return {
        "name": configuration.name,
        "source": configuration.source,
        "adapter": configuration.adapter,
        "adapter_type": configuration.adapter_type,
        "request": configuration.request,
        "program": configuration.program,
        "args": list(configuration.args),
        "cwd": configuration.cwd,
        "env": dict(configuration.env),
        "stop_on_entry": configuration.stop_on_entry,
        "runnable": configuration.is_runnable,
        "not_runnable_reason": configuration.not_runnable_reason,
        "unresolved": list(configuration.unresolved),
    }


def _cells(configuration: LaunchConfiguration, asked: Sequence[Input]) -> tuple[object, ...]:
    reason = configuration.not_runnable_reason
    lacking = options_lacking(configuration, asked)
    if lacking is not None:
        told = f"with {' '.join(lacking)}"
    elif configuration.request == "attach" and configuration.fault is None:
        told = f"no: `lazydap attach {configuration.target or 'PID'}`"
    else:
        told = "yes" if reason is None else f"no ({reason})"
    return (
        configuration.name,
        configuration.source,
        configuration.adapter,
        configuration.request,
        configuration.program,
        told,
    )


def run(call: Call) -> Single:
    """Launch the configuration of that name, its preLaunchTask first."""
    config = strict_config(call)
    root = call.places.root
    file, known = given_file(call), given_inputs(call)
    reading = read_launches(root, call.environ, file, known)
    check_inputs(known, reading.inputs)
    for configuration in reading.configurations:
        if configuration.name == call.given("name"):
            check_complete(configuration, reading.inputs)
            break
    chosen = find_launch(reading, call.given("name"))
    for warning in said_of(reading, chosen.name):
        # What is odd about the others is for `launches list` to say.
        call.warn(warning)
    due = chosen.pre_launch_task
    tasks = () if due is None else tasks_before(due, root, call.environ, file, known)
    program = chosen.program or (None if chosen.module is None else str(root))
    if program is None or chosen.adapter is None:
        raise AssertionError(chosen.name)  # `find_launch` gives back only what can be run.
    if chosen.ignored:
        call.warn(f"`{chosen.name}`: {', '.join(chosen.ignored)} does nothing here")
    for task in tasks:
        _run_task(call, task)
    # The program may be what the task has just made.
    order = Order(
        program=found_path(root, program, f"debug {program}", "program"),
        kind=chosen.adapter,
        cwd=str(root) if chosen.cwd is None else found_path(root, chosen.cwd, f"work in {chosen.cwd}", "cwd"),
        args=chosen.args,
        env=chosen.env,
        stop_on_entry=chosen.stop_on_entry or call.given("stop_on_entry"),
        pinned=chosen.adapter_command,
        mode=chosen.mode,
        options=LaunchOptions(
            module=chosen.module, just_my_code=chosen.just_my_code, source_map=dict(chosen.source_map) or None
        ),
        terminal=chosen.terminal,
    )
    return carry_out(call, order, config)


def _run_task(call: Call, task: Task) -> None:
    """Run one task to its end, its output shown; standard output is kept for the result."""
    streams.write_err(f"task {task.label}: {' '.join(task.command)}\n")
    try:
        ended = subprocess.run(  # noqa: S603  # what the user's own tasks.json says
            task.command,
            cwd=task.cwd,
            env={**call.environ, **task.env},
            stdin=subprocess.DEVNULL,
            stdout=streams.STDERR,
            check=False,
        )
    except OSError as error:
        raise InvalidLaunchConfig(
            f"the task `{task.label}` cannot be started: {error.strerror} ({error.filename})", task=task.label
        ) from error
    if ended.returncode != 0:
        raise InvalidLaunchConfig(
            f"the task `{task.label}` failed with exit code {ended.returncode}: nothing was launched",
            task=task.label,
            exit_code=ended.returncode,
        )
