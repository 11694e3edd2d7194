"""Owns the words of the command line: every command, option, default and conflict, as data; runs nothing."""

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from lazydap_cli import values

FORMATS = ("table", "json", "jsonl", "csv", "ids")
SHELLS = ("bash", "fish", "powershell", "tcsh", "zsh")


class Option(msgspec.Struct, frozen=True):
    """One option: a switch when `value` is None, else the name under which its value is asked for.

    `choices` are the only words allowed; `read` turns the word into a value or raises ValueError with the reason, and
    `offers` is what a shell completes of what it understands. `needs` names the option without which this one makes no
    sense.
    """

    flag: str
    about: str
    value: str | None = None
    read: Callable[[str], object] | None = None
    choices: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    default: object = None
    repeatable: bool = False
    required: bool = False
    needs: str | None = None
    completes: str | None = None

    @property
    def key(self) -> str:
        """The name under which the parsed value is kept."""
        return self.flag.lstrip("-").replace("-", "_")

    @property
    def shown(self) -> str:
        """The option as messages and help name it."""
        return self.flag if self.value is None else f"{self.flag} <{self.value}>"


class Operand(msgspec.Struct, frozen=True):
    """A positional argument of a command, kept under `key`; `trailing` allows more of them, after `--`."""

    key: str
    shown: str
    about: str
    required: bool = True
    trailing: str | None = None
    choices: tuple[str, ...] = ()
    completes: str | None = None


class Command(msgspec.Struct, frozen=True):
    """One command: `runs` names the function that carries it out, as `module:function` of lazydap_cli.commands."""

    words: tuple[str, ...]
    about: str
    runs: str
    example: str
    aliases: tuple[str, ...] = ()
    operand: Operand | None = None
    more_operands: tuple[Operand, ...] = ()
    options: tuple[Option, ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Every positional argument, in order."""
        return (() if self.operand is None else (self.operand,)) + self.more_operands

    @property
    def name(self) -> str:
        """The command as it is typed, without `lazydap`."""
        return " ".join(self.words)


class Group(msgspec.Struct, frozen=True):
    """A word that needs a second one."""

    word: str
    about: str
    commands: tuple[Command, ...]
    aliases: tuple[str, ...] = ()


GLOBAL_OPTIONS = (
    Option("--instance", "Use the daemon of this name instead of the project's own", value="INSTANCE"),
    Option("--format", "How to print; json unless standard output is a terminal", value="FORMAT", choices=FORMATS),
)

_DRY_RUN = Option("--dry-run", "Say what would happen and change nothing")
_THREAD = Option("--thread", "Act on this thread instead of the stopped one", value="THREAD", read=values.i64)
_WAIT = Option("--wait", "Answer when the program stops or ends, not when it moves")
_TIMEOUT = Option(
    "--timeout",
    "Give up waiting after this many seconds, the program untouched; 0 waits for ever (30)",
    value="TIMEOUT",
    read=values.u64,
    needs="--wait",
)
_STOP_ON_ENTRY = Option("--stop-on-entry", "Stop before the first line of the program")
_FRAME = Option(
    "--frame", "Look into this frame of `lazydap stack` instead of the top one", value="FRAME", read=values.i64
)

_LINE = Operand("location", "FILE:LINE", "Where", completes="file")

_STARTING = (
    Option("--timeout", "Give up when it takes longer than this many seconds (30)", value="TIMEOUT", read=values.u32),
    Option(
        "--source-map",
        "Where sources lie here: the folder that the program names, and the one to read",
        value="FROM=TO",
        repeatable=True,
    ),
)


def _movement(
    word: str, about: str, runs: str, aliases: tuple[str, ...] = (), more: tuple[Option, ...] = ()
) -> Command:
    return Command(
        (word,),
        about,
        f"moving:{runs}",
        f"lazydap {word} --wait",
        aliases=aliases,
        options=(_WAIT, _TIMEOUT, *more, _THREAD),
    )


_LAUNCH = Command(
    ("launch",),
    "Start a program under the debugger",
    "launching:launch",
    "lazydap launch app.py --stop-on-entry -- --verbose input.txt",
    operand=Operand("program", "PROGRAM", "The program or script to debug", trailing="ARGS", completes="file"),
    options=(
        _STOP_ON_ENTRY,
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

_BREAK = Command(
    ("break",),
    "Set, list, move, remove or toggle breakpoints",
    "breakpoints:run",
    "lazydap break app.py:12 --condition 'total > 100'",
    aliases=("b",),
    operand=Operand("location", "FILE:LINE", "Where", required=False, completes="file"),
    options=(
        Option("--list", "List the project's breakpoints"),
        Option("--remove", "Remove instead of setting"),
        Option("--toggle", "Enable what is disabled, disable what is enabled"),
        Option("--move", "Move the breakpoint with this id to FILE:LINE", value="ID", read=values.u32),
        Option("--id", "Choose a breakpoint by its id", value="ID", read=values.u32, repeatable=True),
        Option("--all", "Choose every breakpoint of the project"),
        Option("--condition", "Stop only when this expression is true", value="CONDITION"),
        Option("--hit-condition", "Stop only at these hits, such as 3 or >=3", value="HIT_CONDITION"),
        Option("--log", "Print this text with its {expressions} instead of stopping", value="MESSAGE"),
        Option("--disabled", "Keep it, but do not stop there"),
        _DRY_RUN,
    ),
    conflicts=(
        ("--list", "--remove"),
        ("--list", "--toggle"),
        ("--list", "--move"),
        ("--remove", "--toggle"),
        ("--remove", "--move"),
        ("--toggle", "--move"),
        ("--id", "--move"),
        ("--all", "--move"),
    ),
)

_MODIFIERS = (
    Option("--condition", "Stop only when this expression is true", value="CONDITION"),
    Option("--hit-condition", "Stop only at these hits, such as 3 or >=3", value="HIT_CONDITION"),
    Option("--disabled", "Keep it, but do not stop there"),
    _DRY_RUN,
)
_CHOSEN = (
    Option("--id", "Choose one by its id", value="ID", read=values.u32, repeatable=True),
    Option("--all", "Choose all"),
    _DRY_RUN,
)


def _named(word: str, what: str, operand: tuple[str, str], add: Command) -> Group:
    suffix = word.removeprefix("break-")
    plural = f"{suffix}s" if suffix == "function" else suffix
    chosen = Operand("name", *operand, required=False)
    return Group(
        word,
        what,
        commands=(
            add,
            Command((word, "list"), "List them", f"named:list_{plural}", f"lazydap {word} list --format ids"),
            Command(
                (word, "toggle"),
                "Enable what is disabled, disable what is enabled",
                f"named:toggle_{plural}",
                f"lazydap {word} toggle --all",
                operand=chosen,
                options=_CHOSEN,
            ),
            Command(
                (word, "remove"),
                "Forget them",
                f"named:remove_{plural}",
                f"lazydap {word} remove --id 4",
                operand=chosen,
                options=_CHOSEN,
            ),
        ),
    )


_BREAK_FUNCTION = _named(
    "break-function",
    "Stop at the entry of functions",
    ("FUNCTION", "Its name, as the stack shows it"),
    Command(
        ("break-function", "add"),
        "Stop at the entry of a function, in this and every later session",
        "named:add_function",
        "lazydap break-function add main.total --condition 'n > 3'",
        operand=Operand("name", "FUNCTION", "Its name, as the stack shows it"),
        options=_MODIFIERS,
    ),
)

_BREAK_DATA = _named(
    "break-data",
    "Stop when values change",
    ("EXPRESSION", "What is watched"),
    Command(
        ("break-data", "add"),
        "Stop when a value changes, until the session ends",
        "named:add_data",
        "lazydap break-data add count",
        operand=Operand("name", "EXPRESSION", "A variable at the present stop"),
        options=(
            Option(
                "--access",
                "write, read or read_write (write)",
                value="ACCESS",
                choices=("write", "read", "read_write"),
                default="write",
            ),
            Option("--reference", "A row of this container, by its name", value="REFERENCE", read=values.i64),
            _FRAME,
            *_MODIFIERS,
        ),
    ),
)

_WATCH = Group(
    "watch",
    "Keep expressions that are worth looking at",
    aliases=("w",),
    commands=(
        Command(
            ("watch", "add"),
            "Keep an expression",
            "watches:add",
            "lazydap watch add 'len(items)' --label count",
            operand=Operand("expression", "EXPRESSION", "The expression"),
            options=(Option("--label", "A name to show it under", value="LABEL"), _DRY_RUN),
        ),
        Command(("watch", "list"), "List the kept expressions", "watches:listed", "lazydap watch list --format csv"),
        Command(
            ("watch", "remove"),
            "Forget expressions",
            "watches:remove",
            "lazydap watch remove --id 2",
            operand=Operand("expression", "EXPRESSION", "The exact text of one", required=False),
            options=(
                Option("--id", "Choose one by its id", value="ID", read=values.u32, repeatable=True),
                Option("--all", "Choose all"),
                _DRY_RUN,
            ),
        ),
    ),
)

_ADAPTER_PROGRAM = Option(
    "--adapter",
    "Those of this adapter: codelldb, lldb-dap, debugpy or delve (the session's)",
    value="ADAPTER",
    read=values.adapter,
    offers=("codelldb", "lldb-dap", "debugpy", "delve"),
)


def _choice(word: str, about: str, example: str, *, required: bool = True, more: tuple[Option, ...] = ()) -> Command:
    return Command(
        ("exceptions", word),
        about,
        f"exceptions:{word}",
        example,
        operand=Operand("filter", "FILTER", "Its name in `lazydap exceptions list`", required=required),
        options=(_ADAPTER_PROGRAM, *more, _DRY_RUN),
    )


_EXCEPTIONS = Group(
    "exceptions",
    "Choose which exceptions stop the program",
    commands=(
        Command(
            ("exceptions", "list"),
            "List the adapter's filters, those of all adapters where nothing runs",
            "exceptions:listed",
            "lazydap exceptions list --adapter debugpy",
            options=(_ADAPTER_PROGRAM,),
        ),
        _choice(
            "on",
            "Stop at these exceptions",
            "lazydap exceptions on cpp_throw --condition 'depth > 3'",
            more=(Option("--condition", "Only when this is true, where the adapter can", value="CONDITION"),),
        ),
        _choice("off", "Do not stop at these exceptions", "lazydap exceptions off uncaught"),
        _choice("reset", "Go back to the default, of all or of one", "lazydap exceptions reset", required=False),
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
        ),
        Command(
            ("launches", "run"),
            "Start one, its preLaunchTask first",
            "configurations:run",
            "lazydap launches run 'Run the tests' --stop-on-entry",
            operand=Operand("name", "NAME", "Its exact name"),
            options=(
                _STOP_ON_ENTRY,
                Option("--input", "Answer a question of launch.json, ${input:ID}", value="ID=VALUE", repeatable=True),
                Option("--file", "The file that ${file} and its kin stand for", value="FILE", completes="file"),
            ),
        ),
    ),
)

TUI = Command(("tui",), "Open Neovim with the plugin on this project", "editor:open_editor", "lazydap tui")

COMMANDS: tuple[Command | Group, ...] = (
    _LAUNCH,
    _LAUNCHES,
    _ATTACH,
    Command(
        ("restart",),
        "End the program and launch the same once more",
        "launching:restart",
        "lazydap restart",
    ),
    Command(("status",), "Show the daemon and its session", "control:status", "lazydap status"),
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
            _DRY_RUN,
        ),
        conflicts=(("--no-terminate", "--terminate"),),
    ),
    Command(
        ("shutdown",), "End the daemon and its session", "control:shutdown", "lazydap shutdown", options=(_DRY_RUN,)
    ),
    _movement(
        "continue",
        "Let the program run",
        "resume",
        aliases=("c",),
        more=(Option("--all-threads", "Every thread, where the adapter moves them one by one"),),
    ),
    _movement("step", "Step over the line", "step", aliases=("next",)),
    Command(
        ("step-in",),
        "Step into the call",
        "moving:step_in",
        "lazydap step-in --wait",
        aliases=("step-into",),
        options=(
            _WAIT,
            _TIMEOUT,
            Option("--targets", "Show the calls of the line, whose ids `--target` takes, and stay"),
            Option("--target", "Step into this call of the line", value="ID", read=values.i64),
            _THREAD,
        ),
        conflicts=(("--targets", "--target"), ("--targets", "--wait")),
    ),
    _movement("step-out", "Run to the end of the function", "step_out"),
    Command(
        ("run-to",),
        "Continue to a line, without a breakpoint",
        "moving:run_to",
        "lazydap run-to app.py:12 --wait",
        operand=_LINE,
        options=(_WAIT, _TIMEOUT, _THREAD),
    ),
    Command(
        ("jump",),
        "Go on from another line, executing nothing between",
        "moving:jump",
        "lazydap jump app.py:12 --wait",
        operand=_LINE,
        options=(_WAIT, _TIMEOUT, _THREAD),
    ),
    _movement("pause", "Stop the running program", "pause"),
    Command(
        ("wait",),
        "Wait until the program stops or ends, moving nothing; at once where it has",
        "moving:wait",
        "lazydap wait --timeout 60",
        options=(replace(_TIMEOUT, needs=None),),
    ),
    _BREAK,
    _BREAK_FUNCTION,
    _BREAK_DATA,
    Command(("mute",), "Switch all breakpoints off, as they are", "named:mute", "lazydap mute"),
    Command(("unmute",), "Let breakpoints stop the program again", "named:unmute", "lazydap unmute"),
    _EXCEPTIONS,
    Command(
        ("exception",),
        "Show the exception at which the program stands",
        "exceptions:shown",
        "lazydap exception --format table",
        options=(_THREAD,),
    ),
    _WATCH,
    Command(
        ("stack",),
        "Show the call stack",
        "inspecting:stack",
        "lazydap stack --levels 5",
        options=(
            _THREAD,
            Option("--levels", "At most this many frames; 0 is all", value="LEVELS", read=values.u32),
            Option("--start", "Leave out this many frames at the top", value="START", read=values.u32),
        ),
    ),
    Command(
        ("scopes",),
        "Show a frame's scopes, whose references `variables` takes",
        "inspecting:scopes",
        "lazydap scopes",
        options=(_FRAME,),
    ),
    Command(
        ("variables",),
        "Show the variables of a scope, or the children of one",
        "inspecting:variables",
        "lazydap variables --reference 3",
        options=(
            Option(
                "--reference", "From `scopes`, `variables` or `eval`", value="REFERENCE", read=values.i64, required=True
            ),
            Option(
                "--filter",
                "all, named or indexed (all)",
                value="FILTER",
                read=values.variable_filter,
                offers=("all", "named", "indexed"),
                default="all",
            ),
            Option("--start", "Leave out this many", value="START", read=values.u32),
            Option("--count", "At most this many, by the adapter's own paging", value="COUNT", read=values.u32),
            Option("--max", "At most this many rows; 0 is all", value="MAX", read=values.u32),
        ),
    ),
    Command(
        ("eval",),
        "Evaluate an expression in a frame",
        "inspecting:evaluate",
        "lazydap eval 'items[0]'",
        operand=Operand("expression", "EXPRESSION", "The expression, quoted for the shell"),
        options=(
            _FRAME,
            Option(
                "--context",
                "watch, repl or hover (watch)",
                value="CONTEXT",
                read=values.eval_context,
                offers=("watch", "repl", "hover"),
                default="watch",
            ),
        ),
    ),
    Command(
        ("set",),
        "Give a variable, a field or an element another value",
        "setting:set_value",
        "lazydap set 'items[0]' 42",
        operand=Operand("expression", "EXPRESSION", "What to set, quoted for the shell"),
        more_operands=(Operand("value", "VALUE", "The new value, as an expression of the program's language"),),
        options=(
            _FRAME,
            Option(
                "--reference",
                "Set the row with this name of a container, from `scopes` or `variables`",
                value="REFERENCE",
                read=values.i64,
            ),
        ),
        conflicts=(("--frame", "--reference"),),
    ),
    Command(
        ("complete",),
        "Show how an expression could go on",
        "setting:complete",
        "lazydap complete 'items[0].na'",
        operand=Operand("text", "TEXT", "The beginning of the expression"),
        options=(_FRAME,),
    ),
    Command(("threads",), "Show the program's threads", "inspecting:threads", "lazydap threads"),
    Command(
        ("terminal",),
        "Show the program's terminal and type into it; Ctrl-] leaves",
        "terminal:attach",
        "lazydap terminal --replay",
        options=(Option("--replay", "Print what it has shown, and end"),),
    ),
    Command(
        ("output",),
        "Show what the program printed",
        "inspecting:output",
        "lazydap output --format table",
        options=(
            Option("--since", "Only what came after this timestamp (milliseconds)", value="SINCE", read=values.u64),
            Option("--after", "Only what came after the chunk with this `seq`", value="SEQ", read=values.u64),
        ),
    ),
    Command(
        ("logs",),
        "Show the daemon's log",
        "logs:run",
        "lazydap logs --level error --limit 20",
        options=(
            Option("--limit", "The last so many lines (200)", value="LIMIT", read=values.u64),
            Option("--level", "Only lines that hold this word", value="LEVEL"),
            Option("--follow", "Go on printing as lines come, until interrupted"),
            Option("--purge", "Delete the log"),
        ),
        conflicts=(("--purge", "--follow"), ("--purge", "--limit")),
    ),
    Command(
        ("doctor",),
        "Check everything lazydap needs, with a cure for what fails",
        "doctor:run",
        "lazydap doctor --check-adapters",
        options=(
            Option("--check-adapters", "Only the debug adapters"),
            Option("--check-state", "Only the project's state file"),
        ),
    ),
    Command(("version",), "Show the versions of lazydap and its protocol", "about:version", "lazydap version"),
    Command(
        ("completions",),
        "Print a completion script for a shell",
        "about:completions",
        "lazydap completions fish > ~/.config/fish/completions/lazydap.fish",
        operand=Operand("shell", "SHELL", "The shell", choices=SHELLS),
    ),
    Command(("skill",), "Print the guide for scripts and agents", "about:skill", "lazydap skill"),
    TUI,
    Command(
        ("daemon",),
        "Run the daemon itself, in the foreground",
        "service:run",
        "lazydap daemon",
        options=(Option("--foreground", "Accepted for older scripts; it always is"),),
    ),
)


def named(entries: tuple[Command | Group, ...]) -> Mapping[str, Command | Group]:
    """The entries by their own last word and by every alias."""
    table: dict[str, Command | Group] = {}
    for entry in entries:
        for word in (entry.word if isinstance(entry, Group) else entry.words[-1], *entry.aliases):
            table[word] = entry
    return table
