"""Which tests hold what doc/compared.md says of lazydap, and what users of debuggers in Neovim complain of.

A test is named `file::test`, the file without `tests/editor/test_` and `.py`; one outside that folder by its path below
`tests/`. A complaint that no test answers has a reason instead, one sentence.
"""

from typing import Final

_MOVED_ABOUT = (
    "host_moving::test_frames_counts_the_cursor_a_jump_a_pause_and_a_restart_move_the_program_and_no_breakpoint",
)
_THREADS = (
    "host_threads::test_another_thread_is_chosen_in_the_list_and_steps_move_that_one_and_no_other",
    "threads_scripted::test_the_stack_is_kept_current_while_it_can_be_seen_and_only_then",
)
_HELD = ("host_panes::test_what_a_program_holds_and_prints_is_looked_at_set_watched_and_evaluated",)

_LISTED = ("host_lists::test_breakpoints_of_mouse_and_shell_are_handled_in_the_list_and_lua_hears_of_all",)
_WINDOWS = ("host_windows::test_stops_go_to_one_window_and_panes_lists_and_pinned_windows_stay_as_they_are",)
_PENDING = (
    "host_breakpoints::test_a_breakpoint_in_code_that_is_not_loaded_yet_is_pending_and_not_refused_and_then_stops",
)

COMPARED: Final[dict[str, tuple[str, ...]]] = {
    # Breakpoints
    "set before anything runs": ("host_programs::test_break_launch_step_and_end",),
    "kept when the editor ends": (
        "following::test_after_a_restart_of_editor_and_daemon_a_breakpoint_is_where_its_text_went",
        "host_programs::test_a_daemon_that_is_killed_is_started_again_by_the_next_command",
    ),
    "the same for a second editor and the shell": (
        "host_company::test_a_second_editor_draws_and_nothing_in_it_moves_or_is_taken",
        *_LISTED,
    ),
    "condition, hit count, log point": (
        "host_breakpoints::test_a_condition_a_count_and_a_text_are_changed_in_place_and_do_what_they_say",
        "host_breakpoints::test_a_count_lets_the_first_times_pass_and_a_text_is_printed_where_nothing_stops",
    ),
    "switched off and on, all muted": (
        "host_programs::test_break_launch_step_and_end",
        *_MOVED_ABOUT,
    ),
    "function, data breakpoints": (
        "host_breakpoints::test_a_function_stops_at_its_entry",
        "host_breakpoints::test_a_native_program_stops_where_a_value_changes",
        "host_breakpoints::test_python_says_in_one_line_that_it_watches_no_values",
    ),
    "exception filters": (
        "host_breakpoints::test_exceptions_are_chosen_kept_and_shown_at_their_line_until_the_program_goes_on",
    ),
    "pending, moved, refused, disabled told apart": (
        "host_breakpoints::test_a_line_without_code_says_where_it_stops_instead_and_is_itself_again_afterwards",
        *_PENDING,
        "host_delve::test_a_go_file_is_launched_as_it_is_and_a_line_without_code_is_refused_with_a_reason",
        "signs::test_a_breakpoint_shows_its_kind_and_its_state",
        "signs::test_the_adapters_words_stand_behind_a_refused_breakpoint",
    ),
    "follow edits, undo, formatter, `git checkout`": (
        "following::test_a_breakpoint_follows_its_text",
        "host_editing::test_another_branch_takes_the_breakpoints_along_and_brings_them_back",
        "host_editing::test_what_was_edited_and_saved_before_the_launch_stops_at_the_text_that_was_meant",
        "host_editing::test_a_renamed_file_stops_where_it_did",
    ),
    "in the quickfix list, handled there": (
        *_LISTED,
        "list_keys::test_breakpoints_are_handled_in_their_list",
        "list_keys::test_a_part_is_changed_in_the_list",
    ),
    # Looking
    "values at the end of lines": (
        "host_programs::test_break_launch_step_and_end",
        "demo/test_demo.py::test_the_printed_demo_reaches_its_end",
    ),
    "tree of variables, open across steps": _HELD,
    "value under the cursor, or of a selection": _HELD,
    "changed values marked": (
        *_HELD,
        "values::test_a_changed_value_is_told_from_the_others",
    ),
    "big containers in pages": _HELD,
    "watches kept": (
        *_HELD,
        "host_company::test_a_watch_outlives_editor_and_daemon",
    ),
    "values set": _HELD,
    "exception as a diagnostic at its line": (
        "host_breakpoints::test_exceptions_are_chosen_kept_and_shown_at_their_line_until_the_program_goes_on",
        "list_keys::test_an_exception_is_a_diagnostic_until_the_program_moves_on",
    ),
    # Moving
    "a count before a step": (
        *_MOVED_ABOUT,
        "commands::test_steps_have_a_kind_and_a_count",
    ),
    "run to the cursor": _MOVED_ABOUT,
    "cursor moves only when nobody types": (
        "cursor::test_in_the_middle_of_something_the_jump_waits_and_one_line_says_so",
        "host_company::test_somebody_who_types_while_the_program_stops_finds_every_letter_where_it_was_meant",
    ),
    "restart, jump to a line": _MOVED_ABOUT,
    "pause, leave the program running": (
        *_MOVED_ABOUT,
        "host_starting::test_a_process_that_is_picked_is_attached_to_and_left_running",
    ),
    "frames and threads listed and chosen": (
        *_MOVED_ABOUT,
        *_THREADS,
        "list_keys::test_return_chooses_in_the_lists_of_frames_and_threads",
    ),
    "the first frame drawn before the rest is there": ("host_scripted::test_a_step_moves_arrow_cursor_and_values",),
    "several sessions in one editor": ("host_company::test_two_projects_in_one_editor_each_have_their_own_program",),
    # Living
    "program and stop outlive the editor": (
        "host_programs::test_an_editor_that_is_killed_and_opened_again_shows_the_arrow_on_the_same_line",
        "list_keys::test_a_program_outlives_its_editor_unless_the_option_says_otherwise",
    ),
    "two editors and a shell on one session": (
        "host_programs::test_a_second_editor_draws_and_the_one_that_steps_moves",
        "host_company::test_somebody_who_types_while_the_program_stops_finds_every_letter_where_it_was_meant",
    ),
    "driven by a script": (
        "host_company::test_somebody_who_types_while_the_program_stops_finds_every_letter_where_it_was_meant",
    ),
    "full-screen programs outlive their window": (
        "terminal::test_a_program_asks_in_the_editor_and_is_answered_in_the_next_one",
    ),
    "nothing to configure for Python, C, Rust, Go": (
        "host_programs::test_break_launch_step_and_end",
        "host_delve::test_a_go_file_is_launched_as_it_is_and_a_line_without_code_is_refused_with_a_reason",
        "host_starting::test_the_program_built_from_a_c_file_is_found",
    ),
    "`launch.json` with questions and tasks": (
        "host_starting::test_the_configuration_that_vs_code_writes_for_a_python_file_starts_as_it_is",
        "host_starting::test_the_configuration_that_vs_code_writes_for_c_builds_this_file_and_starts_it",
        "host_starting::test_a_configuration_asks_what_it_wants_to_know",
    ),
    "keys only while a program lives, given back": (
        "host_keys::test_no_key_and_no_arrow_is_left_however_the_session_ended",
        "keys::test_the_servers_k_is_there_again_whenever_it_was_attached",
        "keys::test_what_was_mapped_before_is_given_back",
    ),
    "one check that says what is missing": (
        "health::test_what_is_found_is_said",
        "health::test_what_is_wrong_with_a_python_is_said_with_what_to_type",
        "health::test_what_is_wrong_with_editor_and_project_is_said_with_what_to_type",
    ),
    "written down so that others can build on it": (
        "contract/test_protocol_page.py::test_the_page_shows_every_message_and_object_once",
    ),
    # Starting, and what a program prints
    "attach to a process, picked from a list": (
        "host_starting::test_a_process_that_is_picked_is_attached_to_and_left_running",
    ),
    "attach over the network": (
        "daemon/test_real_motion.py::test_a_python_program_that_listens_is_attached_to_and_runs_on_to_its_end",
        "host_starting::test_a_python_program_that_listens_is_attached_to_over_the_network_and_left_running",
        "host_motion::test_a_target_that_means_nothing_is_told_in_one_line",
    ),
    "the program that was built is found": ("host_starting::test_the_program_built_from_a_c_file_is_found",),
    "adapters installed": (
        "house/test_install.py::test_a_broken_environment_is_made_anew_and_kept_from_then_on",
        "unit/core/test_discovery.py::test_nothing_found_says_how_to_install_it_and_every_place_searched",
    ),
    "prompt with history, completion, several lines": _HELD,
    "output apart from the prompt, in colours, bounded": (
        *_HELD,
        "output_scripted::test_output_that_the_daemon_no_longer_has_is_counted",
    ),
    "a terminal for what the program reads": (
        "terminal::test_a_program_asks_in_the_editor_and_is_answered_in_the_next_one",
    ),
    # Fitting into the editor
    "works without a `setup()` call": (
        "options::test_a_setup_call_is_not_needed",
        "house/test_install.py::test_the_plugin_works_wherever_it_is_laid",
    ),
    "one command with subcommands, completed": (
        "commands::test_commands_are_completed_by_our_own_functions",
        "commands::test_every_direct_command_has_its_subcommand",
    ),
    "`<Plug>` maps, no key taken unasked": (
        "keys::test_no_key_is_taken_unless_it_was_asked_for",
        "options::test_the_help_names_every_option_command_and_group",
    ),
    "choices through any picker": (
        "commands::test_a_choice_of_the_host_is_answered",
        "host_starting::test_the_configuration_that_vs_code_writes_for_c_builds_this_file_and_starts_it",
    ),
    "`User` autocommands, functions in Lua": (
        *_LISTED,
        "events::test_a_session_is_told_from_start_to_end",
        "list_keys::test_the_functions_do_what_the_commands_do",
    ),
    "text for the statusline": _LISTED,
    "the mouse": _LISTED,
    "colours and signs can be changed": (
        "signs::test_letters_stand_in_where_a_glyph_is_two_cells_wide",
        "signs::test_the_priority_is_an_option",
    ),
    "windows as they were when it ends": (
        *_WINDOWS,
        "pane_windows::test_panes_open_with_a_program_and_close_at_its_end",
        "pane_windows::test_the_usual_panes_open_and_close_and_the_layout_is_what_it_was",
    ),
    "help for every command and option": ("options::test_the_help_names_every_option_command_and_group",),
}

_FOLLOWS = (
    "following::test_a_breakpoint_follows_its_text",
    "host_editing::test_what_was_edited_and_saved_before_the_launch_stops_at_the_text_that_was_meant",
)
_KEPT = ("following::test_after_a_restart_of_editor_and_daemon_a_breakpoint_is_where_its_text_went",)
_LEFT = ("host_keys::test_no_key_and_no_arrow_is_left_however_the_session_ended",)
_STATES = ("signs::test_a_breakpoint_shows_its_kind_and_its_state",)
_MOVED = ("host_breakpoints::test_a_line_without_code_says_where_it_stops_instead_and_is_itself_again_afterwards",)
_ON_SCREEN = ("panes_scripted::test_a_pane_that_was_closed_asks_for_nothing",)
_TERMINAL = ("terminal::test_a_program_asks_in_the_editor_and_is_answered_in_the_next_one",)

COMPLAINTS: Final[dict[str, tuple[str, ...] | str]] = {
    "after a file was read again its signs are there and nothing stops": (
        "following::test_a_file_that_changed_on_disk_takes_its_breakpoints_along",
        "host_editing::test_another_branch_takes_the_breakpoints_along_and_brings_them_back",
    ),
    "lines typed above a breakpoint move the sign and not the breakpoint": _FOLLOWS,
    "edits while a program runs put sign and code apart": (
        "host_editing::test_undo_after_a_stop_leaves_the_arrow_where_the_program_is",
        "following::test_the_host_hears_where_breakpoints_are_before_it_is_asked_to_go_on",
    ),
    "breakpoints do not outlive the editor": _KEPT,
    "a closed buffer forgets its breakpoints": (
        *_WINDOWS,
        "signs::test_a_file_opened_later_shows_its_marks",
        "opening::test_a_file_opened_later_starts_it_too",
    ),
    "no way to ask for breakpoints, to switch them, to hear of changes": (
        *_LISTED,
        "events::test_changed_breakpoints_are_told_with_their_list",
        "events::test_the_state_can_be_asked_for",
    ),
    "a restored session has every breakpoint on line 1": (
        *_KEPT,
        "pane_windows::test_a_restored_session_has_its_panes_back_and_no_empty_file",
    ),
    "nothing is saved from some directories": (
        "host_company::test_a_breakpoint_in_a_library_that_was_stepped_into_belongs_to_the_program",
    ),
    "saving has to be asked for": ("host_programs::test_a_daemon_that_is_killed_is_started_again_by_the_next_command",),
    "breakpoints belong to the debugger's process and go with it": (
        "host_programs::test_a_daemon_that_is_killed_is_started_again_by_the_next_command",
    ),
    "another branch shifts or loses breakpoints": (
        "host_editing::test_another_branch_takes_the_breakpoints_along_and_brings_them_back",
    ),
    "watches vanish with the session": ("host_company::test_a_watch_outlives_editor_and_daemon",),
    "not yet verified is called rejected": (*_PENDING, *_STATES),
    "a rejected sign stays although the program stops there": _PENDING,
    "a hollow sign gives no reason": (
        "host_delve::test_a_go_file_is_launched_as_it_is_and_a_line_without_code_is_refused_with_a_reason",
        "signs::test_the_adapters_words_stand_behind_a_refused_breakpoint",
        *_MOVED,
    ),
    "a disabled breakpoint is shown as unbound": (
        *_STATES,
        "host_programs::test_break_launch_step_and_end",
    ),
    "in a project behind a link every breakpoint is rejected": (
        "host_company::test_a_program_in_a_project_behind_a_link_stops_where_it_was_asked_to",
        "signs::test_a_file_is_known_by_its_real_path",
    ),
    "the sources of a container lie elsewhere": (
        "elsewhere::test_a_python_program_of_another_folder_is_attached_to_and_shown_here",
        "elsewhere::test_a_native_program_that_was_built_in_another_folder_is_shown_here",
    ),
    "path maps of containers are hard to find": (
        "elsewhere::test_a_python_program_of_another_folder_is_attached_to_and_shown_here",
    ),
    "with panes open a program of many threads crawls": (
        "threads_scripted::test_the_stack_is_kept_current_while_it_can_be_seen_and_only_then",
        *_ON_SCREEN,
    ),
    "a step takes seconds with panes open": _ON_SCREEN,
    "a big array becomes a million lines": _HELD,
    "each opening and closing of a pane makes the next one slower": _ON_SCREEN,
    "values in the text cost a core": (
        "values::test_only_lines_on_the_screen_have_values",
        "values::test_a_very_long_line_is_left_alone",
    ),
    "many printed lines end the editor": (
        *_HELD,
        "output_scripted::test_output_that_the_daemon_no_longer_has_is_counted",
        "output_scripted::test_a_pane_of_output_that_is_closed_hears_nothing_and_shows_all_when_it_comes_back",
    ),
    "a whole container is asked for and ends the adapter": _HELD,
    "no block of several lines at the prompt": _HELD,
    "completion at the prompt puts text twice or in the wrong place": (
        *_HELD,
        "output_scripted::test_the_console_completes_where_the_daemon_offers_it",
    ),
    "what the program asks for is typed where nothing reads it": _TERMINAL,
    "with two threads stopped a step moves the wrong one": _THREADS,
    "after another thread's frame was looked at steps break": _THREADS,
    "values stay painted when the session has died": _LEFT,
    "panes stay when the adapter never said that it ended": (
        *_WINDOWS,
        *_LEFT,
        "pane_windows::test_panes_open_with_a_program_and_close_at_its_end",
    ),
    "the adapter outlives the editor, or leaving waits for it": (
        "list_keys::test_a_program_outlives_its_editor_unless_the_option_says_otherwise",
        "leaving::test_with_stop_the_program_ends_with_its_editor",
        "process::test_the_host_goes_when_the_editor_is_killed",
    ),
    "a stop opens the file in the wrong window": (
        *_WINDOWS,
        "pane_windows::test_a_stop_goes_to_the_window_chosen_before_and_never_into_a_pane",
        "cursor::test_a_quickfix_window_is_never_used_for_the_source",
        "cursor::test_a_pinned_window_is_left_alone",
    ),
    "opening and closing panes destroys the layout": (
        *_WINDOWS,
        "pane_windows::test_the_usual_panes_open_and_close_and_the_layout_is_what_it_was",
        "pane_windows::test_what_a_closed_quickfix_window_leaves_goes_to_the_text_and_not_to_the_panes",
    ),
    "K stays mapped when the session did not end by the expected event": (
        *_LEFT,
        "keys::test_the_servers_k_is_there_again_whenever_it_was_attached",
        "keys::test_a_server_that_goes_during_the_session_leaves_no_k_behind",
    ),
    "too many pieces have to be put together first": (
        "house/test_install.py::test_the_plugin_works_wherever_it_is_laid",
        "host_programs::test_break_launch_step_and_end",
    ),
    "another Python hides the packages, or a manifest has to be made": (
        "house/test_install.py::test_uv_is_used_where_there_is_one_with_the_index_that_is_set_for_pip",
        "process::test_the_interpreter_is_the_checkouts_own_or_the_one_beside_neovims_data",
    ),
    "a program that reads or draws has no terminal of the right size": _TERMINAL,
}
