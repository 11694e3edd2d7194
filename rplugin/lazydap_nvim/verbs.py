"""Owns what Lua may ask the host for, one struct a verb, decoded from JSON text; knows no session and no editor."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from lazydap_core.domain.words import EvalContext, StepKind
from lazydap_core.protocol.additions.following import BreakpointPlace

Line = Annotated[int, Meta(ge=0)]
# An empty Lua table arrives as `[]` whatever it was meant to be.
TextMap = dict[str, str] | tuple[()]
AnyMap = dict[str, Any] | tuple[()]


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Where the user was: `file` is the absolute name of the current buffer or empty, `cwd` the editor's directory."""

    file: str = ""
    line: Line = 0
    cwd: str = ""


NOWHERE = Where()


class Verb(msgspec.Struct, frozen=True, kw_only=True, tag_field="verb", tag=str.lower):
    """Base of all verbs; `where` is left out by the verbs that no person gave."""

    where: Where = NOWHERE


class Hello(Verb, frozen=True, kw_only=True):
    """The first word of an editor: `files` are its open files."""

    files: tuple[str, ...] = ()
    pid: int = 0
    options: AnyMap = ()


class Opened(Verb, frozen=True, kw_only=True):
    """A buffer of `file` was read."""

    file: str


class Closed(Verb, frozen=True, kw_only=True):
    """The buffer of `file` has gone."""

    file: str = ""


class Ack(Verb, frozen=True, kw_only=True):
    """The batch of that generation was drawn; `failed` is the error that stopped it."""

    where: Any = NOWHERE
    generation: int
    failed: str | None = None


class Bye(Verb, frozen=True, kw_only=True):
    """The editor is leaving."""


class Chosen(Verb, frozen=True, kw_only=True):
    """The user's choice among what `Editor.choose` offered under `token`, counted from 1; None when there was none."""

    token: int
    index: int | None = None


class Answered(Verb, frozen=True, kw_only=True):
    """What the user typed when asked by `Editor.ask` under `token`; None when that was given up."""

    token: int
    text: str | None = None


class Older(msgspec.Struct, frozen=True, kw_only=True):
    """Where a line of a file is in the text that a program was made of.

    `is_new`: that text has no such line. `is_altered`: it has another one in its place. `is_unknown`: nobody has that
    text any more.
    """

    line: Line = 0
    is_new: bool = False
    is_altered: bool = False
    is_unknown: bool = False


OlderByRoot = dict[str, Older] | tuple[()]


class Break(Verb, frozen=True, kw_only=True):
    """Bare: put a breakpoint there or take it away. With parts: set those, an empty text clears one.

    `ids` are the breakpoints of the project `root` that stand on the line by the editor's marks, None where it has
    drawn none yet. A range has `first` and `last` in place of `line` and changes only what is there. `ask` are the
    parts that the user is to be asked for, of a `function`, with their prompts.
    """

    file: str = ""
    line: Line = 0
    first: Line | None = None
    last: Line | None = None
    parts: TextMap = ()
    ids: tuple[int, ...] | None = None
    root: str | None = None
    function: str | None = None
    ask: TextMap = ()
    anchor: str | None = None
    older: OlderByRoot = ()


class BreakData(Verb, frozen=True, kw_only=True):
    """Stop when the value of `expression` changes, or no longer."""

    expression: str


class Exceptions(Verb, frozen=True, kw_only=True):
    """Turn these exception filters the other way, without any the one that is chosen; `reset` takes choices back."""

    filters: tuple[str, ...] = ()
    reset: bool = False


class Filter(Verb, frozen=True, kw_only=True):
    """Turn the exception filter of an adapter the other way, give it a condition, or `remove` it from what stops."""

    root: str
    adapter: str
    filter: str
    condition: str | None = None
    remove: bool = False


class Moved(Verb, frozen=True, kw_only=True):
    """Breakpoints of the project `root` have gone elsewhere with their text; `saved`: so it is on disk as well."""

    root: str
    moves: tuple[BreakpointPlace, ...]
    saved: bool = False


class Unbreak(Verb, frozen=True, kw_only=True):
    """Take away the breakpoints of these lines; with `ids` exactly those."""

    file: str = ""
    first: Line = 0
    last: Line = 0
    all: bool = False
    ids: tuple[int, ...] | None = None
    root: str | None = None


class Enable(Verb, frozen=True, kw_only=True):
    """Turn breakpoints on, chosen as for `Unbreak`."""

    file: str = ""
    first: Line = 0
    last: Line = 0
    all: bool = False
    ids: tuple[int, ...] | None = None
    root: str | None = None


class Disable(Verb, frozen=True, kw_only=True):
    """Turn breakpoints off, chosen as for `Unbreak`."""

    file: str = ""
    first: Line = 0
    last: Line = 0
    all: bool = False
    ids: tuple[int, ...] | None = None
    root: str | None = None


class Starting(Verb, frozen=True, kw_only=True):
    """Base of the verbs that may start a program, with what only an editor knows.

    `file` is the current buffer's or empty, `column` the cursor's, `selected` the text last selected in that buffer;
    `env` is the editor's environment now; `terminal` is the option of that name.
    """

    file: str = ""
    filetype: str = ""
    column: int = 0
    selected: str = ""
    env: TextMap = ()
    terminal: bool = False


class Launch(Starting, frozen=True, kw_only=True):
    """`args` is the whole argument as typed, `program` its first word expanded and `rest` what follows that word.

    `forced`: the first word is a program whatever configurations are called so. `choose`: let the user choose one.
    `config` is a configuration that was given whole, in the shape of launch.json's.
    """

    args: str = ""
    program: str | None = None
    rest: str = ""
    forced: bool = False
    bang: bool = False
    choose: bool = False
    config: AnyMap = ()


class Step(Verb, frozen=True, kw_only=True):
    """Step `count` times, waiting for each stop."""

    kind: StepKind = "over"
    count: Annotated[int, Meta(ge=0)] = 1


class Continue(Starting, frozen=True, kw_only=True):
    """Go on; with nothing live launch."""


class Pause(Verb, frozen=True, kw_only=True):
    """Stop the running program where it is."""


class Stop(Verb, frozen=True, kw_only=True):
    """End the program."""


class Disconnect(Verb, frozen=True, kw_only=True):
    """Leave the program to itself."""


class Shutdown(Verb, frozen=True, kw_only=True):
    """End the project's daemon, and its program with it."""


class Attach(Starting, frozen=True, kw_only=True):
    """Debug a program that runs already: `target` is a process id or HOST:PORT, empty lets the user choose."""

    target: str = ""


class Restart(Starting, frozen=True, kw_only=True):
    """End the program and launch the same once more."""


class RunTo(Verb, frozen=True, kw_only=True):
    """Continue to a line of `file`."""

    file: str = ""
    line: Line = 0
    older: OlderByRoot = ()


class Jump(Verb, frozen=True, kw_only=True):
    """Go on from a line of `file`, executing nothing between."""

    file: str = ""
    line: Line = 0
    older: OlderByRoot = ()


class Here(Verb, frozen=True, kw_only=True):
    """Go to where the program stands."""


class Stack(Verb, frozen=True, kw_only=True):
    """The frames in the quickfix list."""


class Threads(Verb, frozen=True, kw_only=True):
    """The threads in the quickfix list."""


class Thread(Verb, frozen=True, kw_only=True):
    """Look at another thread, by its id; commands act on it until the next stop."""

    id: int


class Breakpoints(Verb, frozen=True, kw_only=True):
    """The project's breakpoints in the quickfix list."""


class Status(Verb, frozen=True, kw_only=True):
    """One line about the project's session."""


class Follow(Verb, frozen=True, kw_only=True):
    """Whether this editor's cursor follows the program."""

    on: bool = True


class Frame(Verb, frozen=True, kw_only=True):
    """Choose a frame by its number, 0 is where the program stands; or by the id of a stack list entry."""

    n: Annotated[int, Meta(ge=0)] | None = None
    id: int | None = None


class Up(Verb, frozen=True, kw_only=True):
    """Choose a frame nearer to `main`."""

    count: Annotated[int, Meta(ge=0)] = 1


class Down(Verb, frozen=True, kw_only=True):
    """Choose a frame nearer to the stop."""

    count: Annotated[int, Meta(ge=0)] = 1


class Hover(Verb, frozen=True, kw_only=True):
    """The value of an expression in a float; `context` is how much the evaluation may do."""

    expression: str
    context: EvalContext = "hover"


class Watch(Verb, frozen=True, kw_only=True):
    """Keep an expression whose value is shown at each stop; `remove`: no longer; with `id` that one."""

    expression: str = ""
    remove: bool = False
    id: int | None = None


class Pane(Verb, frozen=True, kw_only=True):
    """A pane, float or list came into sight or left it; `last` is the number of the last line that can be seen."""

    name: str
    shown: bool = True
    last: Line = 0


class Unfold(Verb, frozen=True, kw_only=True):
    """Open what is closed under a line of a pane, close what is open; on a line that stands for more, bring it."""

    pane: str
    key: str


class Printed(Verb, frozen=True, kw_only=True):
    """The output that was sent last stands in its pane."""

    where: Any = NOWHERE


class Prompt(Verb, frozen=True, kw_only=True):
    """What the user typed at the console; the answer goes to the entry `number`."""

    number: int
    text: str


class Complete(Verb, frozen=True, kw_only=True):
    """What could stand at byte `column` of `text`, counted from 0; the answer bears `number`."""

    number: int
    text: str
    column: int


class Set(Verb, frozen=True, kw_only=True):
    """Give a new value: to what an expression stands for, or to the line of a pane with that `key`."""

    value: str
    expression: str = ""
    pane: str = ""
    key: str = ""


PaneVerb = Hover | Watch | Pane | Unfold | Printed | Prompt | Complete

LookVerb = Here | Stack | Threads | Thread | Breakpoints | Status | Follow | Frame | Up | Down

AnyVerb = (
    Hello
    | Opened
    | Closed
    | Ack
    | Bye
    | Chosen
    | Answered
    | Break
    | Moved
    | Unbreak
    | Enable
    | Disable
    | Launch
    | Step
    | Continue
    | Pause
    | Stop
    | Disconnect
    | Shutdown
    | LookVerb
    | Attach
    | BreakData
    | Exceptions
    | Filter
    | Restart
    | RunTo
    | Jump
    | PaneVerb
    | Set
)
Movement = Step | Continue | Pause
Severity = Literal["info", "warn", "error"]

_decoder = msgspec.json.Decoder(AnyVerb)


class UnknownVerbError(Exception):
    """The text is no verb of ours; `str()` says what is wrong with it."""


def read(text: str) -> AnyVerb:
    """The verb in a notification's text. Raises UnknownVerbError."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise UnknownVerbError(str(error)) from error
