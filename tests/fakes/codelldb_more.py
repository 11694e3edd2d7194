"""What the fake codelldb answers to requests that neither move nor look: it offers, sets, tells and jumps."""

from tests.fakes.adapter_wire import Json
from tests.fakes.codelldb_program import CodelldbProgram

BEYOND = frozenset(
    {
        "completions",
        "dataBreakpointInfo",
        "exceptionInfo",
        "goto",
        "gotoTargets",
        "setDataBreakpoints",
        "setFunctionBreakpoints",
        "setVariable",
        "source",
        "stepInTargets",
    }
)


def answered(program: CodelldbProgram, command: str, asked: Json) -> Json | None:  # noqa: PLR0911 - one case a request
    """The body of the answer. Raises Refusal."""
    match command:
        case "completions":
            return _completed(asked)
        case "dataBreakpointInfo":
            return program.named.info(asked, program.here.locals)
        case "exceptionInfo":
            return program.why_stopped()
        case "gotoTargets":
            return program.offer_place(asked["line"])
        case "setVariable":
            return program.set_variable(asked["variablesReference"], asked["name"], asked["value"])
        case "source":
            return program.source(asked["sourceReference"])
        case "stepInTargets":
            return {"targets": [{"id": number, "label": name} for number, name in enumerate(program.calls())]}
        case _:
            program.jump(asked["targetId"])
            return None


def _completed(asked: Json) -> Json:
    """Commands of LLDB, behind a backtick; columns are counted in the command, from 0."""
    word = asked["text"][: asked["column"] - 1]
    if word.startswith("`") and "frame".startswith(word[1:]):
        return {"targets": [{"label": "frame", "length": len(word) - 1, "start": 0, "text": "frame"}]}
    return {"targets": []}
