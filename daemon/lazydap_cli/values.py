"""Owns how a word of the command line becomes a value; each reader raises ValueError with the reason."""

import re

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)

_ADAPTERS = {
    "codelldb": "codelldb",
    "lldb": "codelldb",
    "lldb-dap": "lldb-dap",
    "debugpy": "debugpy",
    "python": "debugpy",
    "delve": "delve",
    "dlv": "delve",
    "go": "delve",
}


def _whole(word: str, lowest: int, highest: int) -> int:
    # int() alone would also take "1_000", blanks and the digits of other scripts.
    if not _WHOLE_NUMBER.fullmatch(word):
        raise ValueError("it is not a whole number")
    number = int(word)
    if not lowest <= number <= highest:
        raise ValueError(f"it is not between {lowest} and {highest}")
    return number


def u32(word: str) -> int:
    """A whole number of 32 bits, not negative."""
    return _whole(word, 0, 2**32 - 1)


def u64(word: str) -> int:
    """A whole number of 64 bits, not negative."""
    return _whole(word, 0, 2**64 - 1)


def i64(word: str) -> int:
    """A whole number of 64 bits."""
    return _whole(word, -(2**63), 2**63 - 1)


def adapter(word: str) -> str:
    """The program that a spelling of an adapter means: codelldb, lldb-dap, debugpy or delve."""
    return _one_of(word, _ADAPTERS)


def variable_filter(word: str) -> str:
    """A filter of `variables`."""
    return _one_of(word, {"all": "all", "named": "named", "indexed": "indexed"})


def eval_context(word: str) -> str:
    """A context of `eval`."""
    return _one_of(word, {"watch": "watch", "repl": "repl", "hover": "hover"})


def _one_of(word: str, spellings: dict[str, str]) -> str:
    try:
        return spellings[word.lower()]
    except KeyError:
        raise ValueError(f"it is none of {', '.join(spellings)}") from None
