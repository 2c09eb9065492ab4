"""Define why a file is skipped or has no tags."""

from typing import NamedTuple

HIDDEN, APPLE_DOUBLE, SYSTEM_FOLDER = "hidden", "apple_double", "system_folder"
MARKED, IGNORED = "marked", "ignored"
NO_FILE, DANGLING, DUPLICATE_PATH, NOT_THERE = "no_such_file", "dangling", "duplicate_path", "not_there"
FOLDER, NOT_REGULAR, NOT_AUDIO_NAME, NO_SUCH_NAME = "folder", "not_regular", "not_audio_name", "no_such_name"
EMPTY, NOT_AUDIO, UNREADABLE, NO_TAGS = "empty", "not_audio", "unreadable", "no_tags"
SYSTEM_ERROR, TWIN = "system_error", "twin"
TEMPORARY, CONFLICT = "temporary", "conflict_copy"
# Stages of a run that omit tracks.
SPOKEN, WHERE, WITHOUT, DUPLICATE = "spoken", "where", "without", "duplicate"
NAME, MOST = "name", "most"

# By code. The text of any other cause, such as a stage of a run, is its detail alone.
_WORDS = {
    HIDDEN: "hidden",
    APPLE_DOUBLE: "AppleDouble",
    SYSTEM_FOLDER: "system folder",
    TEMPORARY: "temporary file",
    CONFLICT: "conflict copy{rest}",
    MARKED: "folder has {detail}",
    IGNORED: "ignore file",
    NO_FILE: "no such file",
    DANGLING: "link to no file",
    DUPLICATE_PATH: "reached by another path, too",
    NOT_THERE: "not there when its drive was last seen",
    FOLDER: "a folder",
    NOT_REGULAR: "not a regular file",
    NOT_AUDIO_NAME: "not audio by name",
    NO_SUCH_NAME: "cannot be opened{rest}",
    EMPTY: "empty file",
    NOT_AUDIO: "not audio{rest}",
    UNREADABLE: "could not be read{rest}",
    NO_TAGS: "tags could not be read{rest}",
    TWIN: "only case or Unicode form differs{rest}",
}


class Cause(NamedTuple):
    """Why a file is skipped, or has no tags: a code for programs; str() gives a short text.

    Attributes:
        detail: differs between files of the same code.
        file: path of another file that is the cause.
    """

    code: str
    detail: str = ""
    file: str = ""

    def __str__(self) -> str:
        return self._words(f": {self.detail}" if self.detail else "")

    @property
    def kind(self) -> str:
        """Return the text under which reports count files with this cause."""
        return self._words("")

    def _words(self, rest: str) -> str:
        return _WORDS.get(self.code, "{detail}").format(detail=self.detail, rest=rest)
