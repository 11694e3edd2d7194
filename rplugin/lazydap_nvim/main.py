"""Owns the host's life inside pynvim: its loop, its one root task, its way to the editor."""

import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import pynvim

from lazydap_nvim import rest
from lazydap_nvim.actions import receive
from lazydap_nvim.editor import Editor
from lazydap_nvim.host import Host
from lazydap_nvim.threads import in_thread

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger("lazydap.host")


class Guest:
    """The host inside a pynvim loop that is running, or about to run; the classic remote plugin has one as well."""

    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._nvim = nvim
        self._start()

    def _start(self) -> None:
        loop = self._nvim.loop
        self._host = Host(Editor(self._send, loop), loop, dict(os.environ))
        # The one task that no group owns: pynvim's loop has none. All others are its children.
        self._root = loop.create_task(self._host.jobs.run())
        self._root.add_done_callback(_report)
        loop.call_later(rest.SECONDS, self._host.jobs.post, "the rest of the code", in_thread, rest.load)

    def _send(self, code: str, *arguments: str | int) -> None:
        self._nvim.exec_lua(code, *arguments, async_=True)

    def receive(self, text: str) -> None:
        """Take one notification of the editor."""
        if self._root.done():
            # Nothing is known to end it. What it knew is the daemons', so another one can begin anew.
            self._start()
        receive(self._host, text)

    def failed(self, what: str) -> None:
        """Something we sent came to nothing in the editor."""
        log.error("the editor reports: %s", what)
        self._host.editor.forget()


def _report(root: "asyncio.Task[None]") -> None:
    if not root.cancelled() and (error := root.exception()) is not None:
        log.critical("the host's root task ended", exc_info=error)


def serve_stdio() -> int:
    """Serve the editor on standard input and output until it goes; the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    guest: list[Guest] = []

    def set_up() -> None:
        guest.append(Guest(nvim))

    def notified(name: str, arguments: list[Any]) -> None:
        if name == "lazydap" and arguments and isinstance(arguments[0], str):
            guest[0].receive(arguments[0])
        elif name == "nvim_error_event":
            guest[0].failed(" ".join(str(argument) for argument in arguments))

    def requested(name: str, _arguments: list[Any]) -> None:
        log.warning("the editor asked and waits, which it never should: %s", name)

    try:
        nvim = pynvim.attach("stdio")
        nvim.run_loop(requested, notified, set_up, log.error)
    except (EOFError, OSError):
        # The editor has gone. What runs belongs to the daemon, so nothing has to be put in order here.
        return 0
    return 0
