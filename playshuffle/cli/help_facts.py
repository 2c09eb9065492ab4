"""List exit codes, files and environment variables, for `playshuffle help`, the site and the man pages."""

from collections.abc import Sequence

EXIT_CODES: Sequence[tuple[int, str]] = (
    (0, "Done."),
    (1, "Some playlists failed, or a check or an audit found a problem."),
    (2, "The command line is wrong."),
    (3, "Nothing to play: the folders hold no audio files that were asked for."),
    (66, "A folder or file does not exist or cannot be read."),
    (73, "The playlist or the saved state cannot be written. The old playlist is unchanged."),
    (75, "A drive seems to be missing, and the old playlist is unchanged. Or a player cannot be reached."),
    (78, "The configuration is missing or wrong, or a newer playshuffle wrote the saved state."),
    (130, "Interrupted by Ctrl-C."),
)

FILES: Sequence[tuple[str, str]] = (
    ("~/.config/playshuffle/config.toml", "The configuration of a user."),
    ("/etc/playshuffle/config.toml", "The configuration of the machine."),
    ("~/.local/state/playshuffle", "Saved orders and decks. Do not delete this folder."),
    ("~/.cache/playshuffle", "Cached tags. You can delete this folder at any time."),
    ("~/.config/systemd/user/playshuffle*", "The units that `playshuffle service install` writes."),
)

ENVIRONMENT: Sequence[tuple[str, str]] = (
    ("PLAYSHUFFLE_CONFIG", "The configuration file, if --config is not given."),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "Other places for the folders above."),
    ("XDG_MUSIC_DIR", "The music folder that `playshuffle config init` suggests."),
    ("NO_COLOR", "Do not use colours."),
)
