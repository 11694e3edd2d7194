#!/bin/sh
# Finds the bug in examples/python/invoice.py with `lazydap` alone, mends a copy and runs it again. Every step prints
# JSON. Start it in an empty folder: sh .../doc/find-a-bug.sh
set -eu
cp "$(dirname "$0")/examples/python/invoice.py" invoice.py
mkdir -p .lazydap
trap 'lazydap shutdown >/dev/null' EXIT
line_of() { grep -n "$1" invoice.py | head -n 1 | cut -d : -f 1; }

# The sum is too small. Stop where it grows, and look at what is there.
lazydap break "invoice.py:$(line_of 'subtotal +=')"
lazydap launch invoice.py --stop-on-entry
lazydap continue --wait
lazydap variables --reference "$(lazydap scopes --format ids | head -n 1)"

# One step on: the first line alone should have added 10.0, and it has added less.
lazydap next --wait
lazydap eval 'subtotal'

# So the discount is taken from every line. What happens to it at the end?
lazydap break --remove --all
lazydap break "invoice.py:$(line_of 'return subtotal')"
lazydap continue --wait
lazydap eval '[subtotal, subtotal * (1 - discount)]'

# Taken twice. Mend it, and run the program to its end.
lazydap disconnect
sed 's/subtotal += amount \* (1 - discount)/subtotal += amount/' invoice.py >mended.py
lazydap launch mended.py --stop-on-entry
lazydap continue --wait
