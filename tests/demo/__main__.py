"""Starts the demo: `python -m tests.demo [python|c]`, in folders of its own that are gone afterwards."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.demo import examples, opened, pictures, shown
from tests.editor.editor import end_daemons
from tests.house import surroundings


def main() -> int:
    """Open the demo on a terminal, else print it; 0 when everything was seen."""
    parser = argparse.ArgumentParser(prog="make demo", description="See lazydap stop, step and show values.")
    parser.add_argument("language", nargs="?", choices=("python", "c"), help="at a terminal python, else both")
    parser.add_argument("--print", action="store_true", help="print the screens even at a terminal")
    parser.add_argument("--pictures", action="store_true", help="draw the README's pictures")
    options = parser.parse_args()
    is_shown = options.print or options.pictures or not (sys.stdin.isatty() and sys.stdout.isatty())
    folder = Path(tempfile.mkdtemp(prefix="lz", dir="/tmp")).resolve()
    folders = surroundings.folders(folder / "e")
    environ = {**surroundings.scrubbed(os.environ), **folders.variables()}
    try:
        chosen = _chosen(options.language or ("" if is_shown else "python"), folder)
        if not is_shown:
            return opened.open_editor(chosen[0], environ, folder)
        for example in chosen:
            draw = pictures.draw if options.pictures else None
            shown.show(example, environ, lambda text: print(text, flush=True), draw)
    except AssertionError as error:
        print(f"make demo: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"make demo: the C example could not be built: {error}", file=sys.stderr)
        return 1
    finally:
        for line in end_daemons(folders.runtime, folders.data):
            print(f"make demo: {line}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"Seen with: {', '.join(example.language for example in chosen)}. The same at your terminal: make demo")
    return 0


def _chosen(language: str, folder: Path) -> list[examples.Example]:
    chosen: list[examples.Example] = []
    if language in {"", "python"}:
        chosen.append(examples.python(folder))
    if language in {"", "c"}:
        found = examples.c(folder)
        if found is not None:
            chosen.append(found)
        else:
            print("No C compiler here (cc, gcc, clang): the C example is left out.\n")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
