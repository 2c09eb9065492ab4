"""Show the result of `make`, as lines for a person or JSON for a program."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from playshuffle import __version__, duration
from playshuffle.cli.player_profile import play_command
from playshuffle.cli.screen import Fact, Mark, home_path, unbroken
from playshuffle.dealing.describe import day
from playshuffle.errors import Note, shown
from playshuffle.library.folder import Skipped
from playshuffle.options.table import Options, as_flags
from playshuffle.ordering.orders import ORDERS
from playshuffle.pipeline.choice import Choice
from playshuffle.pipeline.report import LACKING_GROUPS, Figures, Report
from playshuffle.pipeline.stages import STAGE_KINDS
from playshuffle.players.losses import Loss
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.selection.fields import FIELDS, FLAG
from playshuffle.service import status_file
from playshuffle.tags.cause import NAME, WHERE
from playshuffle.text import any_of, counted, short, shortened

_NAMES = 20  # shown names for each reason
_LISTS = 3  # lists to name with a fact
_TERMS = 3  # terms of a query to name for a tag
_UNREAD = ("file or folder, whose known tracks stay", "files or folders, whose known tracks stay")


def lines(report: Report, *, names: bool, is_again: bool = False, is_brief: bool = False) -> Iterator[Fact]:
    """Yield the result of `make`, the verdict first.

    Args:
        names: list skipped files, and tracks that a player may not play.
        is_again: a known list was made again.
    """
    request, figures, last = report.request, report.figures(), report.last
    has_losses = bool(report.losses) and request.options.player != GENERIC
    was, new_options = "", ""
    if last is not None and report.playlist_length < last.length:
        new_options = _new_options(last.options, request.saved_options)
        was = f" (was {last.length:,}: {new_options})" if new_options else f" (was {last.length:,})"
    notes = report.notes if names else report.new_notes()
    problems = list(idle_terms(report.choice)) if report.has_news or names else []
    problems += warnings(notes)
    mark = Mark.WARNING if has_losses or problems else Mark.GOOD
    yield mark, _verdict(report, figures, was, is_again, is_brief)
    yield from problems
    if new_options and report.is_changed:
        yield "Keep both", "playshuffle undo, and then the same with -o OTHER.m3u"
    if report.has_news or names:
        yield from left_out(report, names=names)
    if names or has_losses:
        yield from _losses(report.losses, report.suspects, names=names)
    elif report.has_news and report.losses:
        yield "Note", _possible_losses(report.losses)
    if report.is_new or report.output is None or names:
        yield from mixed(request.recipe.order_name, figures)
    yield from (("Note", str(note)) for note in notes if note.code != LACKING_GROUPS)
    if report.is_changed and report.output is not None:
        yield from _service_notes(report.output, request.recipe.order_name)
    if report.is_new and report.is_changed and report.output is not None:
        if not request.swaps:  # otherwise its entries are paths of another machine
            yield from _play(request.options.player, report.output)
        yield "Players", "playshuffle help NAME shows what a player needs"


def all_lines(reports: Mapping[str, Report], *, names: bool, is_again: bool) -> Iterator[Fact]:
    """Yield the results of lists; if there are several, all verdicts, then each other fact once.

    `reports` maps the name of each list to its report.
    """
    is_brief = len(reports) > 1 and not names
    by_list = {
        name: list(lines(report, names=names, is_again=is_again, is_brief=is_brief))
        for name, report in reports.items()
    }
    if not is_brief:
        yield from chain.from_iterable(by_list.values())
        return
    yield from (facts[0] for facts in by_list.values())
    lists_of: defaultdict[Fact, list[str]] = defaultdict(list)
    for name, facts in by_list.items():
        for fact in facts[1:]:
            lists_of[fact].append(name)
    for (label, text), some in lists_of.items():
        yield label, text if len(some) == len(reports) else f"{text} ({', '.join(shortened(some, _LISTS))})"


def as_json(report: Report) -> dict[str, Any]:
    """Return the report for JSON; bytes that are not UTF-8 become U+DC80 to U+DCFF."""
    figures = report.figures()
    return {
        "playshuffle": __version__,
        "output": None if report.output is None else os.fsdecode(report.output),
        "dry_run": report.request.dry_run,
        "changed": report.is_changed,
        "order": report.request.recipe.order_name,
        "player": report.request.options.player,
        "paths": report.style.value,
        "tracks": report.playlist_length,
        "library": len(report.choice.all_tracks),
        "duration_s": round(figures.duration_ms / 1000, 3),
        "artists": figures.artists,
        "same_artist_neighbours": figures.neighbours,
        "fewest_possible": figures.fewest,
        "nearest_same_artist": figures.nearest,
        "skipped": _pairs([*report.library.skipped, *report.choice.skipped(NAME)]),
        "choice": _choice_as_json(report.choice),
        "untagged": _pairs(report.library.untagged),
        "unreadable": _pairs(report.library.unreadable),
        "losses": [
            {
                "what": loss.what,
                "players": list(loss.players),
                "cure": loss.cure,
                "tracks": [os.fsdecode(path) for path in _lost(report, loss)],
            }
            for loss in report.losses
        ],
        "notes": list(map(str, report.notes)),
    }


def left_out(report: Report, *, names: bool) -> Iterator[Fact]:
    """Yield the numbers of omitted tracks and unread files, by reason; with `names`, also their paths."""
    yield from _choice(report.choice, names=names)
    yield from _reasons("Skipped", [*report.library.skipped, *report.choice.skipped(NAME)], names)
    yield from _reasons("Untagged", report.library.untagged, names)
    yield from _reasons("Unread", report.library.unreadable, names, *_UNREAD)


def _verdict(report: Report, figures: Figures, was: str, is_again: bool, is_brief: bool) -> str:
    """Return the first line; `was` describes the earlier list, if that was longer."""
    request, of, is_again = report.request, len(report.choice.all_tracks), is_again and not report.is_new
    order = request.recipe.order_name
    contents = [
        counted(report.playlist_length, "track")
        + (f" of {of:,}" if report.playlist_length < of else "")
        + was,
        duration.words(figures.duration_ms) if figures.duration_ms else "",
        counted(figures.artists, "artist") if figures.artists else "",
        f"{order} order",
        _options_again(report) if is_again and not was and not is_brief else "",
    ]
    facts = ", ".join(filter(None, contents))
    if report.output is None:
        return facts
    place = home_path(report.output)
    if request.dry_run:
        return f"Would write {place}: {facts}"
    if not report.is_changed:
        return f"Unchanged: {place}: {facts}"
    return f"Wrote {place} again: {facts}" if is_again else f"Wrote {place}: {facts}"


def _options_again(report: Report) -> str:
    request, last = report.request, report.last
    flags = _new_options(Options(order=request.recipe.order_name), request.saved_options)
    if flags and last is not None and last.options == request.saved_options:
        flags += f" (as on {day(datetime.fromtimestamp(last.drawn_s).astimezone().date())})"
    return flags


def _new_options(before: Options | None, now: Options | None) -> str:
    return "" if before is None or now is None else as_flags(now, before)


def _choice(choice: Choice, *, names: bool) -> Iterator[Fact]:
    for stage in choice.stages:
        kind = STAGE_KINDS[stage.code]
        if summary := kind.summary(stage, len(stage.indices)):
            yield kind.label, summary
            if names:
                yield from _names(choice.skipped(stage.code), len(stage.indices))
    if choice.short_alike:
        tracks = f"{counted(choice.short_alike, 'track')} under 30 s with artist and title of another"
        yield "Copies", f"{tracks}. So short ones stay, unless the files are the same."
    yield from _lacking(choice)


def _lacking(choice: Choice) -> Iterator[Fact]:
    """Yield what the query did with tracks that lack a tag: a sentence for one tag, a table for several."""
    by_tag: defaultdict[tuple[int, str, bool], list[str]] = defaultdict(list)
    for term in choice.lacking:
        name = f"{term.field} tag" if FIELDS[term.field].kind == FLAG else term.field
        by_tag[term.track_count, name, term.is_kept].append(short(term.text))
    if len(by_tag) > 1:
        yield "Chosen", "tracks without a tag:"
    for (count, name, is_kept), all_terms in by_tag.items():
        terms = ", ".join(shortened(all_terms, _TERMS))
        if len(by_tag) > 1:
            yield "", f"{count:>6,}  {name:14}  {'kept' if is_kept else 'skipped'} by {terms}"
            continue
        verb = ("keep" if is_kept else "skip") + ("s" if len(all_terms) == 1 else "")
        have, them = ("has", "it") if count == 1 else ("have", "them")
        yield "Chosen", f"{counted(count, 'track')} {have} no {name}; {terms} {verb} {them}"


def idle_terms(choice: Choice) -> Iterator[Fact]:
    """Yield the terms of the query that change nothing, which is rarely what the user wants."""
    for idle in choice.idle:
        text = f"{short(idle.text)} {'excludes' if idle.is_negated else 'matches'} no track."
        if idle.near is not None:
            text += f" Did you mean {'-path' if idle.is_negated else 'path'}:{shown(idle.near)}?"
        yield "Problem", f"{text} {idle.advice}".rstrip()


def warnings(notes: Iterable[Note]) -> Iterator[Fact]:
    """Yield the notes that come before all other facts: an option has little effect."""
    return (("Problem", str(note)) for note in notes if note.code == LACKING_GROUPS)


def _reasons(label: str, files: Sequence[Skipped], names: bool, *what: str) -> Iterator[Fact]:
    if not files:
        return
    number = counted(len(files), *(what or ("file",)))
    if names:
        yield label, number
        yield from _names(files, len(files))
    else:
        counts = Counter(reason.kind for _, reason in files).most_common()
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in counts)
        yield label, f"{number}: {reasons}. List: -v"


def _names(files: Sequence[Skipped], count: int) -> Iterator[Fact]:
    texts = [f"{home_path(path)}: {reason}" for path, reason in files]
    yield from (("", text) for text in shortened([*texts, *[""] * (count - len(files))], _NAMES))


def mixed(order: str, figures: Figures) -> Iterator[Fact]:
    """Yield the number of repeats or, without repeats, how far apart the tracks of an artist are.

    Repeats are of interest for an order with the fewest possible, and for the default order with more.
    """
    if not figures.neighbours:
        if figures.nearest is not None:
            tracks = counted(figures.nearest - 1, "track")
            yield "Apart", f"the same artist at the earliest after {tracks}"
        return
    text = f"{counted(figures.neighbours, 'track')} right after another by the same artist"
    if ORDERS[order].has_fewest_repeats and figures.neighbours == figures.fewest:
        yield "Repeats", f"{text}, the fewest possible"
    elif order == Options().order and figures.neighbours > figures.fewest:
        yield "Repeats", f"{text}. With --order spread: {figures.fewest:,}"


def _possible_losses(losses: Sequence[Loss]) -> str:
    # Each track once; a range has positions, not names.
    lost = {index for loss in losses if not isinstance(loss.indices, range) for index in loss.indices}
    count = max(len(lost), *(len(loss.indices) for loss in losses))
    titles = list(dict.fromkeys(player for loss in losses for player in loss.players))
    players = any_of(titles) if len(titles) < 4 else counted(len(titles), "player")
    return (
        f"{players} may not play {counted(count, 'track')} of this list. To fit yours: --for PLAYER. List: -v"
    )


def _losses(losses: Sequence[Loss], suspects: Sequence[bytes], *, names: bool) -> Iterator[Fact]:
    for loss in losses:
        tracks = counted(len(loss.indices), "track")
        yield "Problem", f"{any_of(loss.players)} may not play {tracks}: {loss.what}. To fix: {loss.cure}"
        if names and not isinstance(loss.indices, range):  # a range is about their number
            paths = [home_path(suspects[index]) for index in loss.indices]
            yield from (("", path) for path in shortened(paths, _NAMES))


def _service_notes(output: bytes, order: str) -> Iterator[Fact]:
    for service in status_file.services():
        for playlist in service.playlists:
            is_same = os.path.realpath(os.fsencode(playlist.output)) == os.path.realpath(output)
            if is_same and playlist.order not in (None, order):
                text = f"The service updates this playlist and will write it in {playlist.order} order again."
                yield "Note", f"{text} To keep this order, set it in the configuration."


def _play(player: str, file: bytes) -> Iterator[Fact]:
    if command := play_command(PLAYERS[player], file):
        yield "Play", unbroken(command)
    elif use := PLAYERS[player].use:
        yield "Tip", use


def _lost(report: Report, loss: Loss) -> list[bytes]:
    if isinstance(loss.indices, range):
        return report.paths()[loss.indices.start : loss.indices.stop]
    return [report.suspects[index] for index in loss.indices]


def _pairs(files: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"path": os.fsdecode(path), "reason": str(reason)} for path, reason in files]


def _choice_as_json(choice: Choice) -> dict[str, Any]:
    where = choice.stage(WHERE)
    return {
        "matching": None if where is None else where.of - len(where.indices),
        "of": None if where is None else where.of,
        "lacking": [
            {"term": term.text, "field": term.field, "tracks": term.track_count, "kept": term.is_kept}
            for term in choice.lacking
        ],
        "idle": [{"term": term.text, "negated": term.is_negated, "near": term.near} for term in choice.idle],
        "left_out": {
            stage.code: _pairs(choice.skipped(stage.code))
            for stage in choice.stages
            if stage.code not in (WHERE, NAME)
        },
    }
