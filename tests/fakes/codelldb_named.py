"""The breakpoints of the fake codelldb that are at no line, and the places that it offers, in a real one's words."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.program import Refusal
from tests.fakes.program_named import NamedBreakpoints
from tests.fakes.recorded import recording

Json = dict[str, Any]

FIRST_WATCHPOINT = 1_000_001
_data = recording("data-breakpoint")


class CodelldbNamed(NamedBreakpoints):
    """Functions are breakpoints like any other; watchpoints are counted apart, and known by where the value lies."""

    def __init__(self, functions: Mapping[str, int], claim: Callable[[], int]) -> None:
        super().__init__(functions, claim)
        self._places: dict[str, str] = {}

    def set_functions(self, asked: list[Json]) -> Json:
        """No answer has a line."""
        self._entries = [(self._claim(), one) for one in asked]
        return {"breakpoints": self.functions_told()}

    def functions_told(self) -> list[Json]:
        """Each function's breakpoint, as answers and events have it."""
        return [self._told(number, one["name"]) for number, one in self._entries]

    def _told(self, number: int, name: str) -> Json:
        places = int(name in self._functions)
        return {"id": number, "message": f"Resolved locations: {places}", "verified": bool(places)}

    def info(self, asked: Json, known: Mapping[str, Any]) -> Json:
        """The bytes of a value; an expression is evaluated by LLDB."""
        name = asked["name"]
        if name not in known:
            raise Refusal(_data.text(22).replace("nosuch", name))
        place = f"{140737488347084 + 4 * list(known).index(name)}/4"
        self._places[place] = name
        return {**_data.body(20), "dataId": place, "description": f"4 bytes at 7FFFFFFFDFCC ({name})"}

    def set_data(self, asked: list[Json]) -> Json:
        """Numbers of their own."""
        self._watched = [(FIRST_WATCHPOINT + number, one) for number, one in enumerate(asked)]
        return {
            "breakpoints": [
                {"id": number, "message": f"Break on {one['accessType']}", "verified": True}
                for number, one in self._watched
            ]
        }

    def changed(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[int]:
        """As for any program, by the value that lies there."""
        return [
            number
            for number, one in self._watched
            if (name := self._places[one["dataId"]]) in after and before.get(name) != after[name]
        ]

    def told_of_hit(self, number: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
        """What is printed before such a stop."""
        name = next(self._places[one["dataId"]] for each, one in self._watched if each == number)
        place = number - FIRST_WATCHPOINT + 1
        return f"\nWatchpoint {place} hit:\nold value: {before.get(name)}\nnew value: {after.get(name)}\n"
