"""Owns the refusal of what an adapter cannot do; knows no request."""

from lazydap_core.errors import Unsupported
from lazydap_daemon.session.session import Session


def lacking(session: Session, what: str, instead: str) -> Unsupported:
    """The error for an adapter that cannot do `what`; `instead` says what helps."""
    program = session.driver.program
    return Unsupported(f"{program} cannot {what}: {instead}", adapter=program)
