"""Owns the words of the commands that begin and end a session or the daemon."""

from typing import Final

from lazydap_cli import values
from lazydap_cli.grammar.options import DRY_RUN, STOP_ON_ENTRY
from lazydap_cli.grammar.words import Command, Group, Operand, Option

_STARTING = (
    Option("--timeout", "Give up when it takes longer than this many seconds (30)", value="TIMEOUT", read=values.u32),
    Option(
        "--source-map",
        "Where sources lie here: the folder that the program names, and the one to read",
        value="FROM=TO",
        repeatable=True,
    ),
)


_LAUNCH = Command(
    ("launch",),
    "Start a program under the debugger",
    "launching:launch",
    "lazydap launch app.py --stop-on-entry -- --verbose input.txt",
    operand=Operand("program", "PROGRAM", "The program or script to debug", trailing="ARGS", completes="file"),
    options=(
        STOP_ON_ENTRY,
        Option("--cwd", "The program's working directory (this one)", value="CWD", completes="directory"),
        Option("--terminal", "Give the program a terminal, which `lazydap terminal` shows and types into"),
        Option("--env", "Set a variable in the program's environment", value="KEY=VALUE", repeatable=True),
        Option(
            "--adapter",
            "The debug adapter: codelldb, lldb-dap, debugpy or delve (by the program's extension)",
            value="ADAPTER",
            read=values.adapter,
            offers=("codelldb", "lldb-dap", "debugpy", "delve"),
        ),
        Option("--module", "Run this Python module; PROGRAM is then the folder it is looked for in", value="MODULE"),
        Option("--python", "The program's Python", value="PYTHON", completes="file"),
        Option("--just-my-code", "Stop in the project's own code only (debugpy)"),
        Option("--mode", "The adapter's own mode of launching: debug, test or exec (delve)", value="MODE"),
        *_STARTING,
    ),
)


_ATTACH = Command(
    ("attach",),
    "Debug a program that runs already",
    "attaching:attach",
    "lazydap attach 4711",
    operand=Operand("target", "PID|HOST:PORT", "A process id, or where the program is served", required=False),
    options=(
        Option("--wait-for", "Attach to the next process with this name", value="NAME"),
        Option("--stop-on-entry", "Stop it where it stands"),
        Option(
            "--adapter",
            "The debug adapter: codelldb, lldb-dap, debugpy or delve (by what the process runs; of a port, debugpy)",
            value="ADAPTER",
            read=values.adapter,
            offers=("codelldb", "lldb-dap", "debugpy", "delve"),
        ),
        *_STARTING,
    ),
)


_LAUNCHES = Group(
    "launches",
    "The project's launch configurations",
    commands=(
        Command(
            ("launches", "list"),
            "List them, from .lazydap/state.toml and .vscode/launch.json",
            "configurations:listed",
            "lazydap launches list --format ids",
            prints="rows",
        ),
        Command(
            ("launches", "run"),
            "Start one, its preLaunchTask first",
            "configurations:run",
            "lazydap launches run 'Run the tests' --stop-on-entry",
            operand=Operand("name", "NAME", "Its exact name"),
            options=(
                STOP_ON_ENTRY,
                Option("--input", "Answer a question of launch.json, ${input:ID}", value="ID=VALUE", repeatable=True),
                Option("--file", "The file that ${file} and its kin stand for", value="FILE", completes="file"),
            ),
        ),
    ),
)

COMMANDS: Final[tuple[Command | Group, ...]] = (
    _LAUNCH,
    _LAUNCHES,
    _ATTACH,
    Command(
        ("restart",),
        "End the program and launch the same once more",
        "launching:restart",
        "lazydap restart",
    ),
    Command(("status",), "Show the daemon and its session", "status:status", "lazydap status"),
    Command(
        ("disconnect",),
        "End the session and the program",
        "control:disconnect",
        "lazydap disconnect",
        options=(
            Option("--session-id", "End only this session", value="SESSION_ID"),
            Option(
                "--no-terminate",
                "Leave the program running; debugpy and delve end one that they launched (--dry-run tells)",
            ),
            Option("--terminate", "End it even if it was attached to"),
            DRY_RUN,
        ),
        conflicts=(("--no-terminate", "--terminate"),),
    ),
    Command(
        ("shutdown",), "End the daemon and its session", "control:shutdown", "lazydap shutdown", options=(DRY_RUN,)
    ),
)
