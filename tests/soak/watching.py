"""Owns what is measured of a process between two programs: memory, descriptors, threads; knows no protocol."""

from typing import NamedTuple

import psutil

MEMORY_MIB = 6.0
"""What a warm daemon may gain over a run: the unevenness of an allocator, not a leak."""


class Sample(NamedTuple):
    """One look at a process that is at rest."""

    memory_mib: float
    descriptors: int
    threads: int
    children: int

    def __str__(self) -> str:
        return (
            f"{self.memory_mib:.1f} MiB, {self.descriptors} descriptors, "
            f"{self.threads} threads, {self.children} child processes"
        )


def sample(pid: int) -> Sample:
    """How the process is now; NoSuchProcess when it has gone."""
    process = psutil.Process(pid)
    return Sample(
        memory_mib=process.memory_info().rss / 2**20,
        descriptors=process.num_fds(),
        threads=process.num_threads(),
        children=len(process.children(recursive=True)),
    )


def growth(first: Sample, last: Sample) -> list[str]:
    """What has grown more than it may, one line each."""
    found: list[str] = []
    if last.memory_mib > first.memory_mib + MEMORY_MIB:
        found.append(f"memory grew from {first.memory_mib:.1f} to {last.memory_mib:.1f} MiB")
    for name, before, after in (
        ("descriptors", first.descriptors, last.descriptors),
        ("threads", first.threads, last.threads),
        ("child processes", first.children, last.children),
    ):
        if after > before:
            found.append(f"{name} grew from {before} to {after}")
    return found
