"""Owns what tells that a program is written in Rust; asks no toolchain."""

from pathlib import Path

from lazydap_daemon.adapters.plan import LaunchPlan


def is_rust(plan: LaunchPlan) -> bool:
    """Whether a `Cargo.toml` lies between the program and its project, or a source of its name beside the program."""
    program = Path(plan.program)
    folders = [program.parent, *program.parent.parents] if program.is_absolute() else []
    if plan.root:
        root = Path(plan.root)
        folders = [root, *(folder for folder in folders if folder.is_relative_to(root))]
    return program.with_suffix(".rs").is_file() or any((folder / "Cargo.toml").is_file() for folder in folders)
