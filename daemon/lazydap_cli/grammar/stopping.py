"""Owns the words of the commands that say where and why the program stops."""

from typing import Final

from lazydap_cli import values
from lazydap_cli.grammar.options import DRY_RUN, FRAME, THREAD
from lazydap_cli.grammar.words import Command, Group, Operand, Option

_HIT_CONDITION = Option(
    "--hit-condition",
    "Stop only at these hits: 3 is from the third on, ==3 the third alone, %3 every third, also <, <=, >= and >"
    " (lldb-dap: 3, >=3 and >3)",
    value="HIT_CONDITION",
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
        _HIT_CONDITION,
        Option("--log", "Print this text with its {expressions} instead of stopping", value="MESSAGE"),
        Option("--disabled", "Keep it, but do not stop there"),
        DRY_RUN,
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
    prints="rows",
)


_MODIFIERS = (
    Option("--condition", "Stop only when this expression is true", value="CONDITION"),
    _HIT_CONDITION,
    Option("--disabled", "Keep it, but do not stop there"),
    DRY_RUN,
)


_CHOSEN = (
    Option("--id", "Choose one by its id", value="ID", read=values.u32, repeatable=True),
    Option("--all", "Choose all"),
    DRY_RUN,
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
            Command(
                (word, "list"), "List them", f"named:list_{plural}", f"lazydap {word} list --format ids", prints="rows"
            ),
            Command(
                (word, "toggle"),
                "Enable what is disabled, disable what is enabled",
                f"named:toggle_{plural}",
                f"lazydap {word} toggle --all",
                operand=chosen,
                options=_CHOSEN,
                prints="rows",
            ),
            Command(
                (word, "remove"),
                "Forget them",
                f"named:remove_{plural}",
                f"lazydap {word} remove --id 4",
                operand=chosen,
                options=_CHOSEN,
                prints="rows",
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
        prints="rows",
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
            FRAME,
            *_MODIFIERS,
        ),
        prints="rows",
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
        options=(_ADAPTER_PROGRAM, *more, DRY_RUN),
        prints="rows",
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
            prints="rows",
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

COMMANDS: Final[tuple[Command | Group, ...]] = (
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
        options=(THREAD,),
    ),
)
