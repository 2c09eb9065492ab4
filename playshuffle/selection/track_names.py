"""Find the track that a user means by a path, file name or title."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from playshuffle.errors import PlayshuffleError, shown
from playshuffle.tags.reading import Tags
from playshuffle.text import any_of, composed, folded, shortened

_MOST_NEAR = 3  # suggested names
_MOST_LISTED = 3  # tracks of the same name to list


@dataclass(eq=False)
class TrackNames:
    """The names of some tracks.

    Attributes:
        roots: folders where a relative path may start.
        read_tags: returns the tags of the tracks, in the order of `paths`; called when they are first needed.
        former_paths: returns the index of the track that had each path last, of renamed tracks.
    """

    paths: Sequence[bytes]
    roots: Sequence[bytes] = ()
    read_tags: Callable[[], Sequence[Tags | None]] = lambda: ()
    former_paths: Callable[[], Mapping[bytes, int]] = dict

    @cached_property
    def tags(self) -> Sequence[Tags | None]:
        return self.read_tags()

    def find(self, word: str) -> int | None:
        """Return the index of the track that a text means, if any.

        The text is a path, the end of a path, a file name without suffix, a title, or "artist - title". If no
        name is equal, other Unicode forms count as equal, then other letter cases, then former paths.

        Raises:
            PlayshuffleError: several tracks have this name.
        """
        indices = self._found(word)
        if not indices and (former := self.former_paths()):
            names = TrackNames([*former], self.roots)
            indices = list({former[names.paths[index]] for index in names._found(word)})
        if len(indices) > 1:  # tracks that are gone count only if nothing else has the name
            indices = [index for index in indices if os.path.lexists(self.paths[index])] or indices
        if len(indices) > 1:
            tracks = ", ".join(shortened([self._described(index) for index in indices], _MOST_LISTED))
            raise PlayshuffleError(
                f"{len(indices)} tracks are called '{shown(word)}': {tracks}. Give more of the path."
            )
        return indices[0] if indices else None

    def _found(self, word: str) -> list[int]:
        name = os.fsencode(word)
        where = {path: index for index, path in enumerate(self.paths)}
        for path in (
            os.path.abspath(name),
            *(os.path.normpath(os.path.join(root, name)) for root in self.roots),
        ):
            if path in where:
                return [where[path]]
        return self._called(word) if word else []

    def near(self, word: str) -> str:
        part = folded(word)
        titles = [tags.title if tags else "" for tags in self.tags] or [""] * len(self.paths)
        files = [os.fsdecode(os.path.basename(path)) for path in self.paths]
        alike = [
            next((name for name in both if part in folded(name)), "")
            for both in zip(files, titles, strict=True)
        ]
        alike = sorted({name for name in alike if name and part})
        if len(alike) > _MOST_NEAR:
            return f" {len(alike):,} names contain it, such as '{shown(alike[0])}'. Give the whole name."
        name, every = os.path.basename(word), sorted({*files, *filter(None, titles)})
        # A file that was moved or converted.
        alike = alike or [each for each in every if _stem(each) == _stem(name)][:_MOST_NEAR]
        alike = alike or get_close_matches(name, every, _MOST_NEAR, 0.5)
        return f" Did you mean {any_of([repr(shown(name)) for name in alike])}?" if alike else ""

    def _called(self, word: str) -> list[int]:
        for form in (str, composed, folded):
            wanted, ending = form(word), form(f"/{word}")
            paths = [form(os.fsdecode(path)) for path in self.paths]
            indices = [index for index, path in enumerate(paths) if path.endswith(ending)]
            if not indices:
                titled = {
                    index
                    for index, tags in enumerate(self.tags)
                    if tags and wanted in (form(tags.title), form(f"{tags.artist} - {tags.title}"))
                }
                indices = [
                    index
                    for index, path in enumerate(paths)
                    if index in titled or os.path.splitext(path)[0].endswith(ending)
                ]
            if indices:
                return indices
        return []

    def _described(self, index: int) -> str:
        tags = self.tags[index] if self.tags else None
        facts = ", ".join(filter(None, (tags.artist, tags.album))) if tags else ""
        return shown(self.paths[index]) + (f" ({shown(facts)})" if facts else "")


def _stem(name: str) -> str:
    return folded(os.path.splitext(name)[0])
