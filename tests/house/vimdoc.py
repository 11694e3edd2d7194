"""Owns the check of the help file: Neovim can index it, its links lead somewhere, its lines fit a help window."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 78
_LINK = re.compile(r"(?<![|\w`])\|([^\s|*`]+)\|(?![|\w`])")
_QUOTED = re.compile(r"`[^`]*`")
# Neovim's own help is looked up in the running editor, so the check holds for the version that the tests use.
_OWN_TAGS = "io.stdout:write(table.concat(vim.fn.readfile(vim.env.VIMRUNTIME .. '/doc/tags'), '\\n'))"


def complaints(folder: Path, nvim: str) -> list[str]:
    """What is wrong with the help files in `folder`, one line each."""
    pages = sorted(folder.glob("*.txt"))
    if not pages:
        return [f"{folder}: there is no help file"]
    with tempfile.TemporaryDirectory() as copy:
        for page in pages:
            shutil.copy(page, copy)
        indexed = _run(nvim, "--headless", "-u", "NONE", "-i", "NONE", "-c", f"helptags {copy}", "-c", "qa!")
        tags = Path(copy, "tags")
        if not tags.exists() or indexed.stderr:
            return [f"{folder}: :helptags says {indexed.stderr.strip() or 'nothing and writes no tags'}"]
        own = _names(tags.read_text())
    known = own | _names(
        _run(nvim, "-u", "NONE", "-i", "NONE", "--cmd", f"lua {_OWN_TAGS}", "--cmd", "qa!", "-es").stdout
    )
    return [complaint for page in pages for complaint in _page_complaints(page, known)]


def _page_complaints(page: Path, known: set[str]) -> list[str]:
    lines = page.read_text().splitlines()
    found: list[str] = []
    is_code = False
    for number, line in enumerate(lines, start=1):
        is_code = is_code and (not line or line[0].isspace())
        if len(line) > WIDTH:
            found.append(f"{page.name}:{number}: is longer than {WIDTH} columns")
        if not is_code:
            found += [
                f"{page.name}:{number}: |{tag}| leads nowhere"
                for tag in _LINK.findall(_QUOTED.sub("", line))
                if tag not in known
            ]
        is_code = is_code or line.endswith((" >", " >lua", " >vim", " >sh")) or line == ">"
    if "ft=help" not in lines[-1]:
        found.append(f"{page.name}:{len(lines)}: the last line must be a modeline with ft=help")
    return found


def _names(tags: str) -> set[str]:
    return {line.split("\t")[0] for line in tags.splitlines() if not line.startswith("!_TAG")}


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)


def main() -> int:
    """Check `doc/`; 0 when all is well."""
    nvim = shutil.which("nvim", path=str(Path(sys.executable).parent)) or "nvim"
    found = complaints(ROOT / "doc", nvim)
    print("\n".join(found or ["Help file: no complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
