"""The breakpoints of a simulated program that are at no line: at the entry of functions, and at changes of values."""

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]


class NamedBreakpoints:
    """What was set, as the simulated adapter answers it; a function is known by its first line in `functions`."""

    def __init__(self, functions: Mapping[str, int], claim: Callable[[], int]) -> None:
        self._functions = functions
        self._claim = claim
        self._entries: list[tuple[int, Json]] = []
        self._watched: list[tuple[int, Json]] = []

    def set_functions(self, asked: list[Json]) -> Json:
        """The answer to `setFunctionBreakpoints`."""
        self._entries = [(self._claim(), one) for one in asked]
        return {"breakpoints": [self._function(number, one["name"]) for number, one in self._entries]}

    def _function(self, number: int, name: str) -> Json:
        if name not in self._functions:
            return {"id": number, "verified": False, "message": f"no function {name}"}
        return {"id": number, "verified": True, "line": self._functions[name]}

    def info(self, asked: Json, known: Mapping[str, Any]) -> Json:
        """The answer to `dataBreakpointInfo`."""
        name = asked["name"].removeprefix("&(").removesuffix(")")
        if name not in known:
            return {"dataId": None, "description": "no such variable"}
        return {"dataId": name, "description": f"the value of {name}", "accessTypes": ["write"]}

    def set_data(self, asked: list[Json]) -> Json:
        """The answer to `setDataBreakpoints`."""
        self._watched = [(self._claim(), one) for one in asked]
        return {"breakpoints": [{"id": number, "verified": True} for number, _ in self._watched]}

    def entered(self, function: str, known: Mapping[str, Any]) -> list[int]:
        """The breakpoints that stop at the entry of a function."""
        return [number for number, one in self._entries if one["name"] == function and _holds(one, known)]

    def changed(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[int]:
        """The breakpoints that stop because of what one line has done."""
        return [
            number
            for number, one in self._watched
            if before.get(one["dataId"]) != after.get(one["dataId"]) and _holds(one, after)
        ]


def _holds(one: Json, known: Mapping[str, Any]) -> bool:
    return bool(eval(one.get("condition", "True"), {}, dict(known)))
