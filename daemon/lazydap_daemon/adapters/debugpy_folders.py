"""Owns what debugpy puts into folders: which rows are folders, and which of what they hold are values of the program's.

It files whatever is a function or a class, wherever that stands, as if it were a method: an argument that is a
function is missing from the locals, and so is an element of a list (doc/adapters.md, "debugpy").
"""

from collections.abc import Sequence
from typing import Final

from lazydap_daemon.dap.messages import StackFrame, Variable

FOLDERS: Final = frozenset({"special variables", "protected variables", "function variables", "class variables"})
OF_DEFINITIONS: Final = frozenset({"function variables", "class variables"})
MODULE: Final = "<module>"
LENGTH: Final = "len()"
# As many elements as it gives of a container.
MOST_ELEMENTS: Final = 100


def is_folder(row: Variable) -> bool:
    """A name that no variable can have, without a value and a type."""
    return row.name in FOLDERS and not row.value and not row.type and row.variables_reference != 0


def holds_values(folder: Variable, rows: Sequence[Variable], locals_of: StackFrame | None) -> bool:
    """What a function was given or has defined is a local; what a file defines is not looked for there."""
    if folder.name not in OF_DEFINITIONS:
        return False
    return locals_of.name != MODULE if locals_of is not None else _lacks_elements(rows)


def with_values(rows: Sequence[Variable], held: Sequence[Variable], *, is_local: bool) -> tuple[Variable, ...]:
    """The locals with what was among them, or the elements of a list with what was between them; methods stay."""
    if is_local:
        return tuple(sorted((*rows, *held), key=_place))
    elements = [row for row in (*rows, *held) if row.name.isdecimal()]
    return (*sorted(elements, key=lambda row: int(row.name)), *(row for row in rows if not row.name.isdecimal()))


def _place(row: Variable) -> tuple[int, str]:
    """As it sorts locals itself."""
    leading = 0 if not row.name.startswith("_") else 1 if not row.name.startswith("__") else 2
    return (leading + (leading == 2 and row.name.endswith("__")), row.name)  # noqa: PLR2004


def _lacks_elements(rows: Sequence[Variable]) -> bool:
    length = next((row.value for row in rows if row.name == LENGTH), "")
    elements = [row for row in rows if row.name.isdecimal()]
    if not length.isdecimal() or len(elements) + 1 != len(rows):
        return False
    return len(elements) < min(int(length), MOST_ELEMENTS)
