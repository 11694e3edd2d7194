"""Owns the words of the commands that look at the program and change its values."""

from typing import Final

from lazydap_cli import values
from lazydap_cli.grammar.options import DRY_RUN, FRAME, THREAD
from lazydap_cli.grammar.words import Command, Group, Operand, Option

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
            options=(Option("--label", "A name to show it under", value="LABEL"), DRY_RUN),
            prints="rows",
        ),
        Command(
            ("watch", "list"),
            "List the kept expressions",
            "watches:listed",
            "lazydap watch list --format csv",
            prints="rows",
        ),
        Command(
            ("watch", "remove"),
            "Forget expressions",
            "watches:remove",
            "lazydap watch remove --id 2",
            operand=Operand("expression", "EXPRESSION", "The exact text of one", required=False),
            options=(
                Option("--id", "Choose one by its id", value="ID", read=values.u32, repeatable=True),
                Option("--all", "Choose all"),
                DRY_RUN,
            ),
            prints="rows",
        ),
    ),
)

COMMANDS: Final[tuple[Command | Group, ...]] = (
    _WATCH,
    Command(
        ("stack",),
        "Show the call stack",
        "inspecting:stack",
        "lazydap stack --levels 5",
        options=(
            THREAD,
            Option("--levels", "At most this many frames; 0 is all", value="LEVELS", read=values.u32),
            Option("--start", "Leave out this many frames at the top", value="START", read=values.u32),
        ),
        prints="rows",
    ),
    Command(
        ("scopes",),
        "Show a frame's scopes, whose references `variables` takes",
        "inspecting:scopes",
        "lazydap scopes",
        options=(FRAME,),
        prints="rows",
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
        prints="rows",
    ),
    Command(
        ("eval",),
        "Evaluate an expression in a frame",
        "inspecting:evaluate",
        "lazydap eval 'items[0]'",
        operand=Operand("expression", "EXPRESSION", "The expression, quoted for the shell"),
        options=(
            FRAME,
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
            FRAME,
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
        options=(FRAME,),
        prints="rows",
    ),
    Command(("threads",), "Show the program's threads", "inspecting:threads", "lazydap threads", prints="rows"),
    Command(
        ("terminal",),
        "Show the program's terminal and type into it; Ctrl-] leaves",
        "terminal:attach",
        "lazydap terminal --replay",
        options=(Option("--replay", "Print what it has shown, and end"),),
        prints="text",
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
        prints="rows",
    ),
)
