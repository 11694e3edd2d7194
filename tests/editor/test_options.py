"""Options: one table, checked, with every fault told; and the health report."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.editor import ROOT, Editor

Start = Callable[..., Editor]


def test_setup_and_the_global_are_one_table(start_editor: Start) -> None:
    editor = start_editor(init="vim.g.lazydap = { values = false, sign_priority = 7 }")
    editor.lua("require('lazydap').setup({ sign_priority = 8 })")
    options = editor.lua("return require('lazydap.config').get()")
    assert (options["values"], options["sign_priority"], options["values_width"]) == (False, 8, 60)
    assert editor.eval("g:lazydap") == {"values": False, "sign_priority": 8}


def test_a_setup_call_is_not_needed(start_editor: Start) -> None:
    editor = start_editor()
    assert editor.lua("return require('lazydap.config').get().sign_priority") == 4100


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("{ sign_prio = 1 }", "unknown option sign_prio: see :help lazydap-options"),
        ("{ values = 'yes' }", 'option values wants a boolean, not "yes"'),
        ("{ lists = 'both' }", 'option lists is "quickfix" or "loclist", not "both"'),
        ("{ values_width = 1 }", "option values_width is at least 10, not 1"),
        ("'loud'", 'vim.g.lazydap wants a table, not "loud"'),
        ("{ debug_keys = 3 }", "option debug_keys wants a boolean or table, not 3"),
        (
            "{ debug_keys = { ['<F5>'] = 5, ['<F6>'] = 'LazydapStop' } }",
            "option debug_keys wants a command for <F5>, not 5",
        ),
        ("{ debug_keys = { ['<F5>'] = ' ' } }", 'option debug_keys wants a command for <F5>, not " "'),
        ("{ debug_keys = { '<F5>' } }", "option debug_keys wants names, not 1"),
        ("{ sign_priority = 70000 }", "option sign_priority is at most 65500, not 70000"),
        ("{ sign_priority = 1.5 }", "option sign_priority is a whole number, not 1.5"),
        ("{ sign_priority = 0 / 0 }", "option sign_priority is a whole number, not nan"),
        ("{ sign_priority = math.huge }", "option sign_priority is a whole number, not inf"),
    ],
)
def test_a_faulty_option_is_told_once_and_its_default_is_used(start_editor: Start, options: str, fault: str) -> None:
    editor = start_editor(init=f"vim.g.lazydap = {options}")
    for _ in range(2):
        assert editor.lua("return require('lazydap.config').get().values_width") == 60
    assert editor.messages() == [f"lazydap: {fault}"]


def test_a_key_whose_command_is_no_text_takes_no_key_and_draws_all_the_rest(start_editor: Start, project: Path) -> None:
    file = project / "a.py"
    file.write_text("one\n")
    editor = start_editor(file, init="vim.g.lazydap = { debug_keys = { ['<F5>'] = 5, ['<F6>'] = 'LazydapStop' } }")
    place = {"root": str(project), "path": str(file), "line": 1}
    session = {"root": str(project), "state": "paused"}
    editor.apply({"generation": 1, "follow": True, "projects": [session], "stops": [place]})
    editor.expect_sign(1, "▶")
    editor.expect_message("option debug_keys wants a command for <F5>, not 5")
    assert editor.eval("maparg('<F6>', 'n')") == ""


def test_what_stood_there_before_a_setup_call_need_not_be_a_table(start_editor: Start) -> None:
    editor = start_editor(init="vim.g.lazydap = 'loud'")
    editor.lua("require('lazydap').setup({ sign_priority = 8 })")
    assert editor.lua("return require('lazydap.config').get().sign_priority") == 8


def test_the_help_names_every_option_command_and_group(start_editor: Start) -> None:
    editor = start_editor()
    text = (ROOT / "doc/lazydap.txt").read_text()
    options = editor.lua("return vim.tbl_map(function(o) return o.name end, require('lazydap.config').options)")
    groups = editor.lua("return vim.tbl_map(function(g) return g.name end, require('lazydap.highlights').groups)")
    commands = editor.lua(
        "return vim.tbl_filter(function(n) return n:find('^Lazydap') end, vim.tbl_keys(vim.api.nvim_get_commands({})))"
    )
    maps = editor.lua(
        "return vim.tbl_filter(function(l) return l:find('^<Plug>%(lazydap') end, "
        "vim.tbl_map(function(m) return m.lhs end, vim.api.nvim_get_keymap('n')))"
    )
    subcommands = editor.lua("return vim.tbl_keys(require('lazydap.commands').table)")
    wanted = [f"*lazydap-option-{name}*" for name in options]
    wanted += [f"*hl-{name}*" for name in groups]
    wanted += [f"*:{name}*" for name in commands]
    wanted += [f"*{name}*" for name in maps]
    wanted += [f"*:Lazydap-{name}*" for name in subcommands]
    assert len(commands) > 15
    assert len(maps) > 8
    assert [tag for tag in wanted if tag not in text] == []
    # And nothing that is not there.
    told = re.findall(r"\*((?:lazydap-option-|hl-|:Lazydap|<Plug>)[^*\s]*)\*", text)
    assert [tag for tag in told if f"*{tag}*" not in wanted] == []


def test_the_help_names_every_function_and_event(start_editor: Start) -> None:
    editor = start_editor()
    text = (ROOT / "doc/lazydap.txt").read_text()
    functions = editor.lua("return vim.tbl_keys(require('lazydap'))")
    assert len(functions) > 25
    assert [name for name in functions if not re.search(rf"\b{name}\(", text)] == []
    # And nothing that is not there, and a verb for each command.
    section = text.partition("*lazydap-lua*")[2].partition("=====")[0]
    assert set(re.findall(r"(?<![.\w])([a-z_]+)\(\{?", section)) - {*functions} == set()
    verbs = {"break": "breakpoint", "next": "step", "step-in": "step", "step-out": "step"}
    subcommands = editor.lua("return vim.tbl_keys(require('lazydap.commands').table)")
    wanted = {verbs.get(name, name.replace("-", "_")) for name in subcommands}
    assert wanted - {*functions} == set()
    events = set(re.findall(r"'(Lazydap[A-Z]\w+)'", (ROOT / "lua/lazydap/events.lua").read_text()))
    assert len(events) == 5
    assert [name for name in events if f"*{name}*" not in text] == []
