"""Show what `make` did, as lines for a person or JSON for a program."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from playshuffle import __version__, duration
from playshuffle.cli import choice_report
from playshuffle.cli.player_profile import play_command
from playshuffle.cli.screen import Mark, Screen, home_path
from playshuffle.config.options import Options, as_flags, from_json
from playshuffle.dealing.describe import day
from playshuffle.errors import shown
from playshuffle.library.folder import Skipped
from playshuffle.ordering.orders import ORDERS
from playshuffle.pipeline.report import Figures, Report
from playshuffle.players.losses import Loss
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.text import any_of, counted, shortened

_NAMES = 20  # of one kind that -v shows


def lines(
    report: Report,
    screen: Screen,
    *,
    names: bool,
    is_again: bool = False,
) -> Iterator[str]:
    """Return what was done, the verdict first.

    Args:
        report: of the run.
        screen: where the lines are shown.
        names: list the files that were skipped, and the tracks that a player may lose.
        is_again: the list was named, to be made again.
    """
    figures = report.figures()
    has_losses = bool(report.losses) and report.request.player != GENERIC
    yield screen.verdict(Mark.WARNING if has_losses else Mark.GOOD, _verdict(report, figures, is_again))
    yield from removed(report, screen)
    if _has_shrunk(report) and _changed(report) and report.is_changed:
        yield from screen.detail("Keep both", "playshuffle undo, and then the same with -o OTHER.m3u")
    if report.has_news or names:
        yield from choice_report.lines(report.choice, screen, names=names)
        yield from skipped(report, screen, names)
    if report.has_news or names or has_losses:
        yield from _losses(report, screen, names)
    if figures.neighbours and (report.is_new or report.output is None or names):
        yield from _repeats(report.request.recipe.order, figures, screen)
    for note in report.notes:
        yield from screen.detail("Note", note)
    if report.is_new and report.is_changed and report.output is not None:
        if not report.request.swaps:  # else its entries are paths of another machine
            yield from _play(report, screen)
        yield from screen.detail("Players", "playshuffle help NAME shows what a player needs")


def as_json(report: Report, *, seconds: float) -> dict[str, Any]:
    """Return the report for JSON; bytes that are not UTF-8 become U+DC80 to U+DCFF."""
    figures = report.figures()
    return {
        "playshuffle": __version__,
        "output": report.output and os.fsdecode(report.output),
        "files": [os.fsdecode(file) for file in report.files],
        "removed": [os.fsdecode(file) for file in report.removed],
        "dry_run": report.request.dry_run,
        "changed": report.is_changed,
        "order": report.request.recipe.order,
        "player": report.request.player,
        "paths": report.style.value,
        "tracks": report.playlist_length,
        "library": len(report.choice.found),
        "duration_s": round(figures.duration_ms / 1000, 3),
        "artists": figures.artists,
        "same_artist_neighbours": figures.neighbours,
        "fewest_possible": figures.fewest,
        "skipped": _pairs([*report.skipped, *report.unwritable]),
        "choice": choice_report.as_json(report.choice),
        "untagged": _pairs(report.untagged),
        "unreadable": _pairs(report.unreadable),
        "losses": [
            {
                "what": loss.what,
                "players": list(loss.players),
                "cure": loss.cure,
                "tracks": [os.fsdecode(path) for path in _lost(report, loss)],
            }
            for loss in report.losses
        ],
        "notes": report.notes,
        "elapsed_s": round(seconds, 3),
    }


def removed(report: Report, screen: Screen) -> Iterator[str]:
    """Name each old file of the playlist that was removed, or would be."""
    for file in report.removed:
        label = "Would remove" if report.request.dry_run else "Removed"
        yield from screen.detail(label, f"{home_path(file)}, an old file of the same playlist")


def skipped(report: Report, screen: Screen, names: bool) -> Iterator[str]:
    """Count the files that were skipped or read in part, and why; with `names`, list them."""
    yield from _reasons("Skipped", [*report.skipped, *report.unwritable], screen, names)
    yield from _reasons("Untagged", report.untagged, screen, names)
    yield from _reasons("Unread", report.unreadable, screen, names, "kept as known before")


def _verdict(report: Report, figures: Figures, is_again: bool) -> str:
    facts = [counted(report.playlist_length, "track")]
    if report.playlist_length < len(report.choice.found):
        facts[0] += f" of {len(report.choice.found):,}"
    if _has_shrunk(report):
        assert report.last is not None
        facts[0] += f" (was {': '.join(filter(None, (f'{report.last.played:,}', _changed(report))))})"
    if figures.duration_ms:
        facts.append(duration.words(figures.duration_ms))
    if figures.artists:
        facts.append(counted(figures.artists, "artist"))
    facts.append(f"{report.request.recipe.order} order")
    if is_again and not report.is_new and not _has_shrunk(report):
        facts += filter(None, [_options_again(report)])
    files = report.files
    if not files:
        return ", ".join(facts)
    place = home_path(files[0])
    if len(files) > 1:
        place += f" to {shown(os.path.basename(files[-1]))}"
    if report.request.dry_run:
        return f"Would write {place}: {', '.join(facts)}"
    if not report.is_changed:
        return f"Unchanged: {place}: {', '.join(facts)}"
    return f"Wrote {place}{' again' if is_again and not report.is_new else ''}: {', '.join(facts)}"


def _has_shrunk(report: Report) -> bool:
    return report.last is not None and report.playlist_length < report.last.played


def _changed(report: Report) -> str:
    """Return the options of a run that the list did not have before, as the command line has them."""
    before, now = (
        _options(report.last.options if report.last is not None else ""),
        _options(report.request.options),
    )
    new = {name: value for name, value in now._asdict().items() if value != getattr(before, name)}
    return as_flags(Options(**new))


def _options_again(report: Report) -> str:
    """Return the options of a list that is made again, and since when it has them."""
    # The order is named already.
    flags, last = as_flags(_options(report.request.options)._replace(order=Options().order)), report.last
    if last is None or not last.drawn_s or last.options != report.request.options:
        return flags
    then = datetime.fromtimestamp(last.drawn_s).astimezone().date()
    return f"{flags} (as on {day(then)})" if flags else f"as on {day(then)}"


def _options(text: str) -> Options:
    try:
        return from_json(text)
    except ValueError:
        return Options()


def _repeats(order: str, figures: Figures, screen: Screen) -> Iterator[str]:
    """Count the repeats by the same artist where the order does nothing, or all it can, against them."""
    repeats = f"{counted(figures.neighbours, 'track')} right after another by the same artist"
    if ORDERS[order].has_fewest_repeats:
        if figures.neighbours == figures.fewest:
            yield from screen.detail("Repeats", f"{repeats}, the fewest possible")
    elif order == Options().order and figures.neighbours > figures.fewest:
        yield from screen.detail("Repeats", f"{repeats}. With --order spread: {figures.fewest:,}")


def _losses(report: Report, screen: Screen, names: bool) -> Iterator[str]:
    """Name what the player loses; where no player was chosen, only count what others may lose."""
    if report.request.player == GENERIC and report.losses and not names:
        tracks = counted(_tracks_lost(report.losses), "track")
        titles = list(dict.fromkeys(player for loss in report.losses for player in loss.players))
        players = any_of(titles) if len(titles) < 4 else counted(len(titles), "player")
        text = f"{players} may not play {tracks} of this list. To fit yours: --for PLAYER. List: -v"
        yield from screen.detail("Note", text)
        return
    for loss in report.losses:
        yield from screen.detail(
            "Problem",
            f"{any_of(loss.players)} may not play {counted(len(loss.indices), 'track')}: {loss.what}."
            f" To fix: {loss.cure}",
        )
        if names and not isinstance(loss.indices, range):  # a range: it is for their number, not their names
            paths = [shown(report.suspects[index]) for index in loss.indices]
            yield from (f"    {line}" for line in shortened(paths, _NAMES))


def _tracks_lost(losses: Sequence[Loss]) -> int:
    """Count the tracks of all losses, each once; a range is of positions, not of names."""
    names = {index for loss in losses if not isinstance(loss.indices, range) for index in loss.indices}
    return max(len(names), *(len(loss.indices) for loss in losses))


def _play(report: Report, screen: Screen) -> Iterator[str]:
    """Show the command that plays the playlist, or how to use it in the player."""
    file, player = report.files[0], PLAYERS[report.request.player]
    if command := play_command(player, file):
        yield from screen.detail("Play", command)
    elif player.use:
        yield from screen.detail("Tip", player.use)


def _reasons(
    label: str, files: Sequence[Skipped], screen: Screen, names: bool, remark: str = ""
) -> Iterator[str]:
    if not files:
        return
    number = ", ".join(filter(None, (counted(len(files), "file"), remark)))
    if names:
        yield from screen.detail(label, number)
        for line in shortened([f"{home_path(path)}: {reason}" for path, reason in files], _NAMES):
            yield from screen.hanging(line, "    ")
        return
    counts = Counter(reason.partition(":")[0] for _, reason in files).most_common()
    reasons = ", ".join(f"{reason} ({count:,})" for reason, count in counts)
    yield from screen.detail(label, f"{number}: {reasons}. List: -v")


def _lost(report: Report, loss: Loss) -> list[bytes]:
    """Return the tracks of a loss; where their positions are lost, the tracks at these."""
    if isinstance(loss.indices, range):
        return report.paths()[loss.indices.start : loss.indices.stop]
    return [report.suspects[index] for index in loss.indices]


def _pairs(files: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"path": os.fsdecode(path), "reason": reason} for path, reason in files]
