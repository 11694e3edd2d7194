"""Owns what each verb of the editor sets in motion."""

from typing import assert_never

from lazydap_nvim import (
    attaching,
    breaking,
    following,
    going,
    launching,
    listing,
    looking,
    meaning,
    movement,
    panes,
    restarting,
    setting,
    shutting,
    stacks,
    stopping,
)
from lazydap_nvim.host import Host
from lazydap_nvim.threads import in_thread
from lazydap_nvim.transitions import told
from lazydap_nvim.verbs import (
    Ack,
    Answered,
    AnyVerb,
    Attach,
    Break,
    BreakData,
    Breakpoints,
    Bye,
    Chosen,
    Closed,
    Complete,
    Continue,
    Disable,
    Disconnect,
    Down,
    Enable,
    Exceptions,
    Filter,
    Follow,
    Frame,
    Hello,
    Here,
    Hover,
    Jump,
    Launch,
    LookVerb,
    Moved,
    Opened,
    Pane,
    Pause,
    Printed,
    Prompt,
    Restart,
    RunTo,
    Set,
    Shutdown,
    Stack,
    Status,
    Step,
    Stop,
    Thread,
    Threads,
    Unbreak,
    Unfold,
    UnknownVerbError,
    Up,
    Watch,
    read,
)


def receive(host: Host, text: str) -> None:
    """Take one notification of the editor; returns at once, and never raises."""
    with host.jobs.containing("a command"):
        try:
            verb = read(text)
        except UnknownVerbError as error:
            host.editor.say(f"the plugin host does not understand the editor ({error}): restart Neovim", "error")
            return
        match verb:
            case Ack():
                host.editor.acknowledged(verb.generation, verb.failed)
            case Step() | Continue() | Pause():
                # From here: a step must not wait for a task to be made first. But the program must not move before the
                # adapter knows which breakpoints there are, and where they are now, nor before a value is set.
                is_early = host.jobs.is_changing or movement.is_untold(host, verb)
                if is_early or not movement.order(host, verb):
                    host.jobs.post("the command", movement.order_late, host, verb)
            case Chosen():
                host.questions.answered(verb.token, verb.index)
            case Answered():
                host.questions.answered(verb.token, verb.text)
            case Bye() | Closed():
                pass
            case Moved():
                host.unsaid.setdefault(verb.root, {}).update((move.id, move) for move in verb.moves)
                host.jobs.post("the breakpoints", following.follow, host, verb)
            case _:
                name = f":Lazydap {type(verb).__name__.lower()}"
                host.jobs.post(name, act, host, verb, is_change=_is_change(verb))


def _is_change(verb: AnyVerb) -> bool:
    """Whether it changes what the program does once it moves; what asks the user first comes too late to count."""
    if isinstance(verb, Exceptions):
        return bool(verb.filters) or verb.reset
    if isinstance(verb, Break) and verb.ask:
        return False
    return isinstance(verb, Break | BreakData | Unbreak | Enable | Disable | Filter | Set | Prompt)


async def act(host: Host, verb: AnyVerb) -> None:  # noqa: C901, PLR0912 - one case a verb
    """Carry one verb out: the outcome is a drawn change or one line. Raises LazydapError for the line to be said."""
    if isinstance(verb, Launch | Attach | Restart | RunTo | Jump | Breakpoints):
        await host.jobs.changed()
    match verb:
        case Hello() | Opened():
            if isinstance(verb, Hello) and verb.pid:
                host.called = f"{told.EDITOR}{verb.pid}"
            await _watch(host, verb.files if isinstance(verb, Hello) else (verb.file,))
        case Break(function=str(name)):
            await stopping.at_function(host, verb, name)
        case Break():
            await breaking.set_or_toggle(host, verb)
        case BreakData():
            await stopping.at_data(host, verb)
        case Exceptions():
            await stopping.choose_exceptions(host, verb)
        case Filter():
            await stopping.change_filter(host, verb)
        case Unbreak():
            await breaking.remove(host, verb)
        case Enable() | Disable():
            await breaking.switch(host, verb)
        case Launch():
            await launching.launch(host, verb)
        case Step() | Continue() | Pause():
            await movement.order_late(host, verb)
        case Attach():
            await attaching.attach(host, verb)
        case Restart():
            await restarting.restart(host, verb)
        case RunTo() | Jump():
            await going.go(host, verb)
        case Stop() | Disconnect():
            await movement.end(host, verb)
        case Shutdown():
            await shutting.shut_down(host, verb)
        case Hover() | Watch() | Pane() | Unfold() | Printed() | Prompt() | Complete() | Set():
            await (setting.set_value(host, verb) if isinstance(verb, Set) else panes.act(host, verb))
        case _:
            await _look(host, verb)


async def _look(
    host: Host,
    verb: LookVerb | Ack | Bye | Closed | Chosen | Answered | Moved,
) -> None:
    match verb:
        case Here():
            await looking.go_here(host, verb)
        case Stack():
            await stacks.list_stack(host, verb)
        case Threads():
            await stacks.list_threads(host, verb)
        case Thread():
            await stacks.choose_thread(host, verb)
        case Breakpoints():
            await listing.list_breakpoints(host, verb)
        case Status():
            await looking.tell_status(host, verb)
        case Follow():
            await looking.follow(host, verb)
        case Frame() | Up() | Down():
            await looking.choose_frame(host, verb)
        case Ack() | Bye() | Closed() | Chosen() | Answered() | Moved():
            pass
        case _:
            assert_never(verb)


async def _watch(host: Host, files: tuple[str, ...]) -> None:
    """Open the links of the projects these files lie in."""

    def roots() -> list[str]:
        return list(dict.fromkeys(root for file in files if (root := host.root_of(file)) is not None))

    for root in await in_thread(roots):
        host.watch(root)
        if root in host.model.projects and root not in host.launches.learnt:
            host.launches.learnt.add(root)
            host.jobs.post("the launch configurations", meaning.learn_launches, host, root, is_quiet=True)
    host.draw()
