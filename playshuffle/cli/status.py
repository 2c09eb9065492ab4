"""`playshuffle status`: how folders, playlists and the service stand."""

import textwrap
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

import typer

from playshuffle.cli import playlist_options as words
from playshuffle.cli.streams import say, write_out
from playshuffle.config.load import Config, find, load
from playshuffle.errors import Exit, PlayshuffleError, shown

_WIDTH = 80

EXAMPLES = """\b
Examples:
  playshuffle status
  playshuffle status --json
"""


def status(
    config: words.ConfigFile = None,
    json: Annotated[bool, typer.Option("--json", help="Say it as JSON on stdout.")] = False,
) -> int:
    """Say how folders, playlists and the service stand; the service need not run."""
    from playshuffle.service.status_report import status as standing

    try:
        known: Config | None = load(find(config))
    except PlayshuffleError as error:
        if config is not None:
            raise
        known = None
        say([f"playshuffle: {error}"])
    said = standing(known)
    if json:
        import json as json_

        write_out([json_.dumps(said, indent=2).encode(), b"\n"])
    else:
        write_out(f"{line}\n".encode(errors="replace") for line in _lines(said))
    is_well = all(one["last_error"] is None for one in said["playlists"])
    return Exit.DONE if is_well else Exit.LOSSES


def _lines(said: dict[str, Any]) -> Iterator[str]:
    for service in said["services"]:
        yield f"service: running since {_when(service['since'])} (process {service['process']})"
    if not said["services"]:
        yield "service: not running"
    for root in said["roots"]:
        yield from _folder(root)
    for one in said["playlists"]:
        yield from _playlist(one)
    yield from said["notes"]


def _folder(root: dict[str, Any]) -> Iterator[str]:
    yield f"folder {shown(root['root'])}"
    facts = [root["state"], root["file_system"], f"watched: {root['watched']}"]
    if root["tracks"] is not None:
        facts.append(f"{root['tracks']:,} tracks")
    for key, text in (("last_event", "last event"), ("last_reconcile", "last whole look")):
        if root[key] is not None:
            facts.append(f"{text} {_when(root[key])}")
    if root["drift"]:
        facts.append(f"{root['drift']:,} changes found that no event had told")
    yield from _wrapped(", ".join(filter(None, facts)))
    if root["advice"]:
        yield from _wrapped(f"try: {root['advice']}")


def _playlist(one: dict[str, Any]) -> Iterator[str]:
    yield " ".join(filter(None, ("playlist", shown(one["name"] or ""), shown(one["output"]))))
    facts = [one["state"]]
    if one["tracks"] is not None:
        facts.append(f"{one['tracks']:,} tracks")
    if one["order"] is not None:
        facts.append(f"order {shown(one['order'])}")
    if one["last_write"] is not None:
        facts.append(f"written {_when(one['last_write'])}")
    yield from _wrapped(", ".join(facts))
    if one["stand"] is not None:
        yield from _wrapped(one["stand"])
    if one["last_error"] is not None:
        yield from _wrapped(shown(one["last_error"]))
    for unreadable in one["unreadable"]:
        yield from _wrapped(f"cannot be read: {shown(unreadable)}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _when(seconds: float) -> str:
    then = datetime.fromtimestamp(seconds).astimezone()
    is_today = then.date() == datetime.now().astimezone().date()
    return f"{then:%H:%M:%S}" if is_today else f"{then:%Y-%m-%d %H:%M}"
