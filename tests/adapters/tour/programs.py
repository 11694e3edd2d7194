"""Owns the program that every adapter is tried on: the same in C, Python and Go, and as the fake codelldb plays it.

Its one argument says which part of it runs. Lines that are marked alike do the same in each.
"""

from typing import Any, Final

from tests.fakes.program import Line
from tests.fixtures.programs import Program

TURNS: Final = 10
"""Turns of the loop of `count`, whose exit code is EXIT_CODE."""

EXIT_CODE: Final = 45
LONG: Final = 100_000
"""Elements of the container of `values`; each is twice its index."""

DEEP: Final = 300
WORKERS: Final = 4
SAID: Final = tuple(f"line {number}\n" for number in range(200))

C: Final = Program(
    "tour.c",
    """\
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int squared(int number) {
    int square = number * number;  // @square
    return square;
}

static int count(void) {
    int total = 0;  // @first

    for (int i = 0; i < 10; i++) {
        total += squared(i);  // @call
        total += 1;  // @one
        total += 2;  // @two
        total += 3;  // @three
        printf("i=%d\\n", i);  // @print
    }
    return total % 100;  // @last
}

static int sink(int depth) {
    if (depth == 0)
        return 0;  // @bottom
    return 1 + sink(depth - 1);
}

static int values(void) {
    int big[100000];
    const char *größe = "snö ☃";
    for (int i = 0; i < 100000; i++)
        big[i] = i * 2;
    printf("%d %s\\n", big[99999], größe);  // @look
    return 0;
}

static int spin(void) {
    volatile int ticks = 0;
    printf("spinning\\n");
    fflush(stdout);
    for (;;) {
        ticks++;  // @tick
        usleep(2000);
    }
}

static void *work(void *given) {
    usleep(50000);
    printf("worker %d\\n", *(int *)given);  // @work
    return NULL;
}

static int crowd(void) {
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static int crash(void) {
    int *nowhere = NULL;
    printf("before\\n");
    fflush(stdout);
    *nowhere = 1;  // @crash
    return 0;
}

static int ask(void) {
    char line[80];
    printf("%s\\n", fgets(line, sizeof line, stdin) ? "something" : "nothing");
    return 0;
}

static int chat(void) {
    for (int number = 0; number < 200; number++)
        printf("line %d\\n", number);
    fflush(stdout);
    fprintf(stderr, "all said\\n");  // @said
    return 0;
}

int main(int count_of_arguments, char **arguments) {
    const char *part = arguments[count_of_arguments - 1];
    if (!strcmp(part, "count")) return count();
    if (!strcmp(part, "deep")) return sink(300) == 0;
    if (!strcmp(part, "values")) return values();
    if (!strcmp(part, "spin")) return spin();
    if (!strcmp(part, "crowd")) return crowd();
    if (!strcmp(part, "crash")) return crash();
    if (!strcmp(part, "ask")) return ask();
    return chat();
}
""",
)

PYTHON: Final = Program(
    "tour.py",
    """\
import sys
import threading
import time


def squared(number):
    square = number * number  # @square
    return square


def count():
    total = 0  # @first

    for i in range(10):
        total += squared(i)  # @call
        total += 1  # @one
        total += 2  # @two
        total += 3  # @three
        print(f"i={i}")  # @print
    return total % 100  # @last


def sink(depth):
    if depth == 0:
        return 0  # @bottom
    return 1 + sink(depth - 1)


def values():
    big = [number * 2 for number in range(100000)]
    größe = "snö ☃"
    print(big[99999], größe)  # @look


def spin():
    ticks = 0
    print("spinning", flush=True)
    while True:
        ticks += 1  # @tick
        time.sleep(0.002)


def work(number):
    time.sleep(0.05)
    sys.stdout.write(f"worker {number}\\n")  # @work


def crowd():
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def crash():
    print("before")
    raise ValueError("nothing here")  # @crash


def ask():
    print("something" if sys.stdin.readline() else "nothing")


def chat():
    for number in range(200):
        print("line", number)
    print("all said", file=sys.stderr)  # @said


parts = {
    "count": count,
    "deep": lambda: sink(300) and None,
    "values": values,
    "spin": spin,
    "crowd": crowd,
    "crash": crash,
    "ask": ask,
    "chat": chat,
}
sys.exit(parts[sys.argv[1]]())
""",
)

GO: Final = Program(
    "tour.go",
    """\
package main

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"time"
)

func squared(number int) int {
	square := number * number // @square
	return square
}

func count() int {
	total := 0 // @first

	for i := 0; i < 10; i++ {
		total += squared(i) // @call
		total += 1          // @one
		total += 2          // @two
		total += 3          // @three
		fmt.Printf("i=%d\\n", i) // @print
	}
	return total % 100 // @last
}

func sink(depth int) int {
	if depth == 0 {
		return 0 // @bottom
	}
	return 1 + sink(depth-1)
}

func values() {
	big := make([]int, 100000)
	for i := range big {
		big[i] = i * 2
	}
	größe := "snö ☃"
	fmt.Println(big[99999], größe) // @look
}

func spin() {
	ticks := 0
	fmt.Println("spinning")
	for {
		ticks++ // @tick
		time.Sleep(2 * time.Millisecond)
	}
}

func work(number int, all *sync.WaitGroup) {
	time.Sleep(50 * time.Millisecond)
	fmt.Println("worker", number) // @work
	all.Done()
}

func crowd() {
	var all sync.WaitGroup
	all.Add(4)
	for number := 0; number < 4; number++ {
		go work(number, &all)
	}
	all.Wait()
}

func crash() {
	var nowhere []int
	fmt.Println("before")
	nowhere[4] = 1 // @crash
}

func ask() {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\\n'); err == nil {
		fmt.Println("something")
	} else {
		fmt.Println("nothing")
	}
}

func chat() {
	for number := 0; number < 200; number++ {
		fmt.Println("line", number)
	}
	fmt.Fprintln(os.Stderr, "all said") // @said
}

func main() {
	switch os.Args[1] {
	case "count":
		os.Exit(count())
	case "deep":
		sink(300)
	case "values":
		values()
	case "spin":
		spin()
	case "crowd":
		crowd()
	case "crash":
		crash()
	case "ask":
		ask()
	case "chat":
		chat()
	}
}
""",
)


def trace(part: str) -> tuple[list[Line], dict[str, Any]]:
    """What the fake codelldb executes of the C program, and how it ends."""
    return _TRACES[part]


def _at(marker: str, function: str, **more: Any) -> Line:
    return Line(line=C.line(marker), function=function, **more)


def _count() -> list[Line]:
    lines, total = [_at("first", "count", locals={"total": 0})], 0
    for i in range(TURNS):
        lines.append(_at("call", "count", locals={"i": i, "total": total}))
        inside = {"number": i, "square": i * i}
        lines.append(_at("square", "squared", depth=1, locals=inside))
        lines.append(Line(line=C.line("square") + 1, function="squared", depth=1, locals=inside))
        total += i * i
        for marker, more in (("one", 1), ("two", 2), ("three", 3)):
            lines.append(_at(marker, "count", locals={"i": i, "total": total}))
            total += more
        lines.append(_at("print", "count", locals={"i": i, "total": total}, output=f"i={i}\n"))
    return [*lines, _at("last", "count", locals={"total": total})]


def _deep() -> list[Line]:
    begin = Line(line=C.line("bottom") + 1, function="main", locals={"depth": DEEP})
    calls = [
        Line(line=C.line("bottom") + 1, function="sink", depth=depth, locals={"depth": DEEP - depth + 1})
        for depth in range(1, DEEP + 1)
    ]
    return [begin, *calls, _at("bottom", "sink", depth=DEEP + 1, locals={"depth": 0})]


def _crowd() -> list[Line]:
    begin = Line(line=C.line("work") - 1, function="crowd")
    workers = [
        _at("work", "work", thread=number + 2, output=f"worker {number}\n", locals={"number": number})
        for number in range(WORKERS)
    ]
    return [begin, *workers]


_BEGIN: Final = Line(line=C.line("look") - 3, function="values")
_TRACES: Final[dict[str, tuple[list[Line], dict[str, Any]]]] = {
    "count": (_count(), {"exit_code": EXIT_CODE}),
    "deep": (_deep(), {}),
    "values": (
        [_BEGIN, _at("look", "values", locals={"big": [2 * each for each in range(LONG)], "größe": "snö ☃"})],
        {},
    ),
    "spin": (
        [
            Line(line=C.line("tick") - 2, function="spin", output="spinning\n", seconds=0.01),
            *(
                line
                for _ in range(2000)
                for line in (
                    _at("tick", "spin", locals={"ticks": 1}),
                    Line(line=C.line("tick") + 1, function="spin", seconds=0.02),
                )
            ),
        ],
        {},
    ),
    "crowd": (_crowd(), {"threads": {1: "main"} | {number + 2: "worker" for number in range(WORKERS)}}),
    "crash": (
        [
            Line(line=C.line("crash") - 2, function="crash", output="before\n"),
            _at("crash", "crash", raises="signal SIGSEGV: address not mapped to object (fault address=0x0)", locals={}),
        ],
        {},
    ),
    "ask": ([Line(line=C.line("said"), function="ask", seconds=1000.0)], {}),
    "chat": (
        [
            Line(line=C.line("said") - 2, function="chat", output="".join(SAID)),
            _at("said", "chat", output="all said\n"),
        ],
        {},
    ),
}
