"""Make lists again, or a new list of music folders: `playshuffle make`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playshuffle.cli import make_report
from playshuffle.cli.music_folders import default_folders
from playshuffle.cli.run_lists import ONCE, request_of, run_lists, say_broken, titles
from playshuffle.cli.save import check_save
from playshuffle.cli.save import save as save_list
from playshuffle.cli.streams import print_json, say, show, write_out
from playshuffle.config.build_request import build_request
from playshuffle.config.configuration import load_if_any
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.words import named_lists, with_files
from playshuffle.errors import Exit, PlayshuffleError, of_all
from playshuffle.options.given import Given
from playshuffle.options.table import STDOUT, Options
from playshuffle.pipeline.make import make as make_list
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.service import status_file
from playshuffle.store.state import State

if TYPE_CHECKING:
    from playshuffle.config.model import Config


def make_lists(
    words: Sequence[str],
    given: Given,
    *,
    save: str | None,
    config: str | None,
    dry_run: bool,
    as_json: bool,
    print0: bool,
    quiet: bool,
    verbose: bool,
) -> Exit:
    """Make lists and report on them. The arguments are as in the command make."""
    _check_stdout(given.options.output, print0, as_json)
    is_all = not print0 and save is None and given.names <= ONCE
    writes = not (dry_run or print0 or given.options.output == STDOUT)
    config_file = load_if_any(config)
    with State(writes=writes) as state:
        all_lists = known_lists(config_file, state)
        given = with_files(given, all_lists)
        lists, codes = _lists_to_make(words, all_lists, config_file, is_all=is_all)
        if print0:
            given = given.plus(output=STDOUT)
        has_record = bool(lists or codes)  # all lists of the configuration may be broken
        requests = _requests_of(lists, given, save, state)
        if not has_record:
            requests[""] = build_request(_new_list(words, given.options, config, quiet), name=save)
        for name, request in requests.items():
            requests[name] = request._replace(dry_run=dry_run, any_name=print0)
            check_save(save, config, requests[name])
        act = make_list
        if has_record:
            from playshuffle.pipeline.make_again import make_again as act  # a new list needs none of it
        reports, failures = run_lists(requests, act, quiet=quiet, must_remember=has_record, state=state)
    status_file.notify(status_file.processes([] if dry_run or print0 else [one.path for one in lists]))
    _write_to_stdout([*reports.values()], given.options.output, print0, as_json)
    if not quiet:
        show(make_report.all_lines(reports, names=verbose, is_again=has_record))
    for report in reports.values():
        save_list(save, config, report.request, quiet=quiet)
    return of_all([*codes, *failures])


def _write_to_stdout(reports: Sequence[Report], output: str | None, print0: bool, as_json: bool) -> None:
    if as_json and reports:
        print_json(*map(make_report.as_json, reports))
    for report in reports:
        if print0:
            write_out(path + b"\0" for path in report.paths())
        elif output == STDOUT:
            write_out(report.text)


def _lists_to_make(
    words: Sequence[str], lists: Sequence[KnownList], config_file: "Config | None", *, is_all: bool
) -> tuple[list[KnownList], list[Exit]]:
    """Return the lists that words name.

    With `is_all` and no words, return all configured lists that are not dealt, and an exit code for each
    fault.
    """
    if words or config_file is None or not is_all:
        return named_lists(words, lists, config_file), []
    made = [one for one in lists if one.configured is not None and not one.is_dealt]
    codes = say_broken(config_file)
    if config_file.playlists and not made and not codes:
        raise PlayshuffleError(
            "All lists of the configuration are dealt. Their next deals: playshuffle deal --due. To make"
            " another list, name a music folder."
        )
    return made, codes


def _requests_of(
    lists: Sequence[KnownList], given: Given, save: str | None, state: State
) -> dict[str, Request]:
    if save is not None and len(lists) > 1:
        raise PlayshuffleError("--save needs one list, or music folders.")
    requests = [request_of(one, given, state, is_dealt=False, is_saved=save is not None) for one in lists]
    return dict(zip(titles(lists), requests, strict=True))


def _new_list(folders: Sequence[str], options: Options, config: str | None, quiet: bool) -> Options:
    if not folders and options.source is None:
        folders, text, _ = default_folders(config)
        if not quiet:
            say([text])
    return options._replace(folders=tuple(folders))


def _check_stdout(output: str | None, print0: bool, as_json: bool) -> None:
    if (output == STDOUT) + print0 + as_json > 1:
        raise PlayshuffleError("--json, --print0 and -o - all write to standard output. Choose one of them.")
    if print0 and output is not None:
        raise PlayshuffleError("--print0 writes no file. Remove -o.")
