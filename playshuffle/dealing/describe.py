"""Where a deck stands, for a person or a program."""

from datetime import date

from playshuffle.dealing.deck import Deck


def facts(deck: Deck) -> dict[str, object]:
    """Where a deck stands, for a program."""
    return {
        "round": deck.round,
        "since": deck.since.isoformat() if deck.round else None,
        "library": deck.library,
        "heard": deck.library - deck.still,
        "away": len(deck.away),
        "to_go": deck.to_go,
        "carried_s": deck.carried_ms // 1000,
        "law": deck.law,
    }


def stand(deck: Deck) -> str:
    """Where a deck stands: 'heard 1,240 of 2,003 (62 %), 19 deals to go, round 3, since 2 September 2026'."""
    if not deck.round:
        return "nothing was dealt yet"
    if not deck.library:
        return f"round {deck.round:,} was broken off, and the next one begins with the next deal"
    library, heard = deck.library, deck.library - deck.still
    percent = 100 * heard // library
    said = [
        f"heard {heard:,} of {library:,} ({percent} %)",
        f"{counted(deck.to_go, 'deal')} to go",
        f"round {deck.round:,}",
        f"since {day(deck.since)}",
    ]
    if deck.away:
        said.insert(1, f"{len(deck.away):,} away")
    return ", ".join(said)


def day(when: date) -> str:
    """A day, as people say it: '2 September 2026'."""
    return f"{when.day} {when:%B %Y}"


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
