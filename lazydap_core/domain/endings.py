"""Owns how the ending of a program reads: what its exit code says, and who ended it; knows no adapter's process."""

from typing import Final

from lazydap_core.domain.words import AdapterKind

# Of the signals that end a program these have the same number on Linux and macOS; a program may well exit with the
# numbers that the others would give.
_DEADLY: Final = {4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}
_OF_A_SHELL: Final = 128
_BYTE: Final = 256


def signal_of(exit_code: int, adapter: AdapterKind) -> str | None:
    """The signal that ended the program, where the adapter's way of counting tells it (doc/adapters.md)."""
    match adapter:
        case "delve":
            return _DEADLY.get(-exit_code)
        case "debugpy":
            return _DEADLY.get(_BYTE - exit_code)
        case "codelldb":
            # LLDB tells the bare number, which may as well be the program's own.
            return None


def exit_code_words(exit_code: int, adapter: AdapterKind) -> str:
    """The exit code, with the signal that it stands for or may stand for."""
    if (certain := signal_of(exit_code, adapter)) is not None:
        return f"{exit_code} ({certain})"
    likely = _DEADLY.get(exit_code - _OF_A_SHELL)
    if adapter == "codelldb" and exit_code in (6, 9, 11, 15):
        likely = _DEADLY[exit_code]
    return str(exit_code) if likely is None else f"{exit_code} (as after {likely})"
