"""Read the deals that other computers wrote into a list of this computer, or beside the list.

A synchroniser replaces the list, or keeps one of two lists as a conflict copy. A list is from another
computer if its comments name a deal of exactly its entries, and this computer did not write it.
"""

from collections.abc import Collection
from datetime import datetime

from playshuffle.dealing.deck import Deal, Deck
from playshuffle.dealing.describe import day
from playshuffle.dealing.other_deals import (
    KEY,
    count_other,
    names_below,
    read_comment,
    read_dealt,
    take_over,
)
from playshuffle.dealing.period import Every
from playshuffle.errors import Note, shown
from playshuffle.library.tracks import Tracks
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.text import counted

OTHER_DEAL = "other_deal"  # code of the note that another computer dealt the list


def count_others(
    deck: Deck, file: PlaylistFile, tracks: Tracks, contents: Collection[str], every: Every, now: datetime
) -> tuple[Deck, bool, list[Note]]:
    """Count the tracks of other computers' deals, in a list and its conflict copies, as dealt.

    `contents` are fingerprints of the lists that this computer wrote last.

    Returns:
        The deck, whether the list has another computer's deal of this period, and notes for the user.
    """
    notes, stands, copies = [], False, [(copy, _deal_in(copy, tracks)) for copy in file.conflict_copies()]
    for copy, deal in copies:
        text = "Its tracks count as dealt." if deal is not None else "It names no deal, or was edited."
        text = f"{shown(copy.path)} is a conflict copy of this list, made by a synchroniser. {text}"
        notes.append(Note("conflict_copy", f"{text} Delete it when you do not need it.", copy.path))
    is_ours = not file.exists or file.fingerprint() in contents
    in_file = None if is_ours else _deal_in(file, tracks)
    theirs = [(deal, copy) for copy, deal in copies if deal is not None]
    if in_file is not None:
        theirs.append((in_file, file))
    for deal, copy in sorted(theirs, key=lambda pair: pair[0].round):
        names = names_below(copy.folder, tracks.paths)
        deck = count_other(deck, deal, read_dealt(copy.all_comments(), names))
    if in_file is not None:
        dealer = (
            "Another computer" if contents else "Another computer, or this one before its state was lost,"
        )
        known = "None of its entries is a file here, so it is replaced."
        if in_file.entries:
            known = f"{counted(len(in_file.entries), 'track')} of it count as dealt."
            deck, stands = take_over(deck, in_file, every, now)
        notes.append(Note(OTHER_DEAL, f"{dealer} dealt this list on {day(in_file.period)}. {known}"))
    elif contents and not is_ours:
        text = f"Another program changed {shown(file.path)}. It is replaced."
        notes.append(Note("changed_by_another", text))
    return deck, stands, notes


def _deal_in(file: PlaylistFile, tracks: Tracks) -> Deal | None:
    """Return the deal that the comments of a list name; None if they name none, or entries were edited."""
    comment = file.comments().get(KEY)
    deal = read_comment(comment, file.written()) if comment is not None else None
    if deal is None:
        return None
    index_of = {path: index for index, path in enumerate(tracks.paths)}
    deal = deal._replace(entries=tuple(index_of.get(path, -1) for path in file.entries()))
    return deal.only(range(len(tracks)))
