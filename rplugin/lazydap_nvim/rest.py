"""Owns that the host runs one version of its code: what it has not imported yet it imports soon after its start."""

import importlib
import logging
import pkgutil
from typing import Final

import lazydap_core
import lazydap_nvim

SECONDS: Final = 1.0
"""How long after the start: the first command comes first."""

log = logging.getLogger("lazydap.host")


def load() -> None:
    """Import every module of ours, so that an update of the files mixes no old code with new."""
    for package in (lazydap_core, lazydap_nvim):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    log.info("all code is loaded")
