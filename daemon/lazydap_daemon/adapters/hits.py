"""Owns the meaning of a hit condition, the same with every adapter; knows no adapter's way of counting."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from lazydap_core.errors import Unsupported

Comparison = Literal["<", "<=", "==", ">=", ">", "%"]

_COMPARISONS: Final[dict[str | None, Comparison]] = {
    None: ">=",
    "=": "==",
    "<": "<",
    "<=": "<=",
    "==": "==",
    ">=": ">=",
    ">": ">",
    "%": "%",
}
_HIT_CONDITION: Final = re.compile(r"\s*(<=|>=|==|=|<|>|%)?\s*([0-9]{1,9})\s*")


@dataclass(frozen=True)
class HitCondition:
    """Stop where the number of hits so far, this one included, compares so with `count`; `%` is "every count-th"."""

    comparison: Comparison
    count: int

    @property
    def is_always(self) -> bool:
        """Whether each hit counts."""
        return (self.comparison, self.count) in {(">=", 0), (">=", 1), (">", 0), ("%", 1)}


def read_hit_condition(text: str) -> HitCondition:
    """A bare number is "from that hit on", `=` is `==`. Raises Unsupported for anything that is no hit condition."""
    match = _HIT_CONDITION.fullmatch(text)
    if match is None or (match[1] == "%" and int(match[2]) == 0):
        raise Unsupported(f"the hit condition {text!r} is no count: write a number, or one after < <= == >= > or %")
    return HitCondition(_COMPARISONS[match[1]], int(match[2]))
