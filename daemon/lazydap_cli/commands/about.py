"""Owns the commands that speak of lazydap itself: version, completions and skill."""

from typing import Final

from lazydap_cli.call import Call
from lazydap_cli.failure import CommandFailed
from lazydap_cli.results import Script, Single
from lazydap_cli.runtime import runtime_folder
from lazydap_core import __version__

GUIDE: Final = "skill.md"


def version(call: Call) -> Single:  # noqa: ARG001  # every command is called with one
    """The versions of lazydap and of the newest protocol it speaks."""
    from lazydap_core.protocol.dialect import NEWEST  # noqa: PLC0415  # the other two need no protocol

    return Single({"lazydap": __version__, "protocol": NEWEST}, [("lazydap", __version__), ("protocol", NEWEST)])


def completions(call: Call) -> Script:
    """The script that makes a shell complete lazydap's words."""
    from lazydap_cli.completing import script  # noqa: PLC0415  # shtab is needed here only

    return Script(script(call.given("shell")))


def skill(call: Call) -> Script:  # noqa: ARG001  # as above
    """The guide for scripts and agents, as it is kept in doc/."""
    try:
        return Script((runtime_folder() / "doc" / GUIDE).read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandFailed(f"the guide {error.filename} cannot be read: install lazydap again") from error
