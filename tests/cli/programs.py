"""Owns the programs that are debugged in the tests of this folder."""

from typing import Final

from tests.fixtures.programs import Program

PYTHON: Final = {
    "exits": Program(
        "exits.py",
        """\
import sys

x = 5
print(f"about to finish x={x}")  # @finish
sys.stdout.flush()
""",
    ),
    "crashes": Program(
        "crashes.py",
        """\
print("before the end", flush=True)


def fail():
    raise ValueError("nothing here")  # @raise


fail()
""",
    ),
    "hands over": Program(
        "hands_over.py",
        """\
def double(number):
    return 2 * number


def apply(callback):
    steps = [1, callback, 3]
    return callback(steps[0])  # @within


done = apply(double)
print(done)  # @last
""",
    ),
    "spins": Program(
        "spins.py",
        """\
import time

print("spinning", flush=True)
turns = 0
while True:
    turns += 1
    time.sleep(0.02)  # @turn
""",
    ),
    "chatty": Program(
        "chatty.py",
        """\
for number in range(200):
    print(f"line {number}", flush=True)
print("finished")  # @finished
""",
    ),
    "calls": Program(
        "calls.py",
        """\
import os
import sys


def area(side):
    total = side * side  # @total
    return total  # @return


def main():
    sizes = [1, 2, 3]
    words = {"key": "☃"}
    total = 0
    for size in sizes:
        total += area(size)  # @call
    print("arguments", *sys.argv[1:], os.environ.get("COLOUR"), os.getcwd(), total, os.environ.get("TASTE"))  # @print
    return words


main()
""",
    ),
}

C: Final = {
    "exits": Program(
        "exits.c",
        """\
#include <stdio.h>
int main(void)
{
    int x = 5;
    printf("about to finish x=%d\\n", x); // @finish
    fflush(stdout);
    return 0;
}
""",
    ),
    "crashes": Program(
        "crashes.c",
        """\
#include <stdio.h>
int main(void)
{
    int *nowhere = 0;
    printf("before the end\\n");
    fflush(stdout);
    *nowhere = 1; // @crash
    return 0;
}
""",
    ),
    "spins": Program(
        "spins.c",
        """\
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    long turns = 0;
    printf("spinning\\n");
    fflush(stdout);
    for (;;) {
        turns++; // @turn
        usleep(20000);
    }
}
""",
    ),
    "chatty": Program(
        "chatty.c",
        """\
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 200; i++)
        printf("line %d\\n", i);
    fflush(stdout);
    printf("finished\\n"); // @finished
    return 0;
}
""",
    ),
    "threads": Program(
        "threads.c",
        """\
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *work(void *number)
{
    usleep(50000);
    printf("thread %ld\\n", (long)number); // @thread
    return 0;
}
int main(void)
{
    pthread_t made[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&made[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(made[i], 0);
    return 0;
}
""",
    ),
    "floods": Program(
        "floods.c",
        """\
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    char line[1001];
    memset(line, 'x', 1000);
    line[1000] = 0;
    for (int i = 0; i < 1500; i++)
        puts(line);
    fflush(stdout);
    usleep(800000);
    puts("MARKER");
    fflush(stdout);
    puts("end"); // @end
    return 0;
}
""",
    ),
    "inspects": Program(
        "inspects.c",
        """\
#include <stdio.h>
int main(void)
{
    int big[2000];
    int sum = 0;
    int *bad = (int *)4;
    for (int i = 0; i < 2000; i++)
        big[i] = i; // @fill
    sum = big[1999];
    printf("%d %d %p\\n", sum, big[0], (void *)bad); // @print
    return 0;
}
""",
    ),
    "library_crash": Program(
        "library_crash.c",
        """\
#include <stdio.h>
#include <string.h>
static int lookup_key(const char *key, const char *wanted)
{
    return strcmp(key, wanted); // @lookup
}
int main(int argc, char **argv)
{
    volatile const char *none = argc > 5 ? argv[0] : 0;
    printf("%d\\n", lookup_key((const char *)none, argv[0]));
    return 0;
}
""",
    ),
}
