"""What debugpy puts into folders, and what of it is a value like any other."""

from lazydap_daemon.adapters.debugpy_folders import holds_values, is_folder, with_values
from lazydap_daemon.dap.messages import StackFrame, Variable

FUNCTIONS = Variable(name="function variables", evaluate_name="function variables", variables_reference=9)
SPECIAL = Variable(name="special variables", variables_reference=8)
IN_FUNCTION = StackFrame(id=1, name="apply", line=3)
IN_FILE = StackFrame(id=1, name="<module>", line=3)


def row(name: str, value: str = "1") -> Variable:
    return Variable(name=name, value=value, type="int")


def names(rows: tuple[Variable, ...]) -> list[str]:
    return [row.name for row in rows]


def test_a_folder_is_told_from_an_entry_with_the_same_name() -> None:
    assert is_folder(FUNCTIONS)
    assert not is_folder(row("'function variables'"))
    assert not is_folder(Variable(name="class variables", value="3", type="int"))


def test_a_function_among_the_locals_is_looked_for_in_a_function_and_not_in_a_file() -> None:
    assert holds_values(FUNCTIONS, (), IN_FUNCTION)
    assert not holds_values(FUNCTIONS, (), IN_FILE)
    assert not holds_values(SPECIAL, (), IN_FUNCTION)
    found = with_values((row("a"), row("n"), row("_p"), row("__q")), (row("callback"),), is_local=True)
    assert names(found) == ["a", "callback", "n", "_p", "__q"]


def test_elements_that_are_functions_come_back_between_the_others_and_methods_stay() -> None:
    rows = (row("0"), row("2"), row("len()", "3"))
    assert holds_values(FUNCTIONS, rows, None)
    assert names(with_values(rows, (row("append"), row("1")), is_local=False)) == ["0", "1", "2", "len()"]


def test_nothing_is_looked_for_where_nothing_is_missing() -> None:
    assert not holds_values(FUNCTIONS, (row("0"), row("1"), row("len()", "2")), None)
    assert not holds_values(FUNCTIONS, (*(row(f"{number:03}") for number in range(100)), row("len()", "300")), None)
    assert not holds_values(FUNCTIONS, (row("'key'"), row("len()", "2")), None)
    assert not holds_values(FUNCTIONS, (row("a"), row("b")), None)
