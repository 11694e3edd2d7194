"""Owns choosing the driver of a launch: what the client named, else what is found on this machine."""

import os
from functools import partial
from pathlib import Path

import anyio.to_thread
from msgspec.structs import replace

from lazydap_core.config import Config, read_config
from lazydap_core.discovery import rust
from lazydap_core.discovery.finding import Found, find
from lazydap_core.errors import AdapterCrashed, AdapterNotFound, ConfigInvalid, InvalidLaunchConfig
from lazydap_daemon.adapters.driver import Driver, LaunchPlan, driver_for
from lazydap_daemon.adapters.rust_programs import is_rust


async def find_driver(plan: LaunchPlan) -> Driver:
    """The driver for `plan`; an adapter that the client named is taken as it is, without being tried out.

    Raises AdapterNotFound, InvalidLaunchConfig for a configuration that cannot be read, and AdapterCrashed when what
    the client named is no program.
    """
    named = plan.adapter_command
    environ = plan.options.client_env if plan.options.client_env is not None else os.environ
    search = partial(
        _find,
        plan,
        environ=dict(environ),
        pinned=plan.options.python if plan.kind == "debugpy" and plan.options.python else named,
    )
    try:
        found = await anyio.to_thread.run_sync(search)
    except AdapterNotFound as error:
        if named is None:
            raise
        raise AdapterCrashed(f"the adapter could not be started: {error.message}") from error
    return driver_for(plan, found)


def _find(plan: LaunchPlan, *, environ: dict[str, str], pinned: str | None) -> Found:
    found = find(
        plan.kind,
        environ=environ,
        config=Config() if pinned is not None else _config(environ),
        pinned=pinned,
        program=Path(plan.program),
        root=Path(plan.root) if plan.root else None,
        adapter=plan.options.adapter,
        probe=pinned is None,
    )
    if found.program == "lldb-dap" and is_rust(plan):
        folder = rust.formatters(environ, plan.root if plan.root and Path(plan.root).is_dir() else None)
        return replace(found, formatters=str(folder) if folder else None)
    return found


def _config(environ: dict[str, str]) -> Config:
    try:
        return read_config(environ)
    except ConfigInvalid as error:
        raise InvalidLaunchConfig(error.message, **error.details) from error
