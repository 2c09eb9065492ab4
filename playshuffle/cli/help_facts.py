"""List exit codes, files and environment variables for help, site and man pages."""

from collections.abc import Sequence

from playshuffle.errors import Exit

EXIT_CODES: Sequence[tuple[Exit, str]] = (
    (Exit.DONE, "Done."),
    (Exit.LOSSES, "Some playlists failed, or a check or an audit found a problem."),
    (Exit.USAGE, "The command line is wrong."),
    (Exit.NOTHING_TO_PLAY, "Nothing to play: no audio file in the folders matches."),
    (Exit.NO_INPUT, "A folder or file does not exist or cannot be read."),
    (Exit.CANNOT_CREATE, "The playlist or the saved state cannot be written. The old playlist is unchanged."),
    (
        Exit.MISSING,
        "A missing drive is needed, and the old playlist is unchanged. Or a player cannot be reached.",
    ),
    (Exit.CONFIG, "The configuration is missing or wrong."),
    (
        Exit.INTERRUPTED,
        "Interrupted by Ctrl-C. The code of watch and listen is 0, since they run until then.",
    ),
)

FILES: Sequence[tuple[str, str]] = (
    ("~/.config/playshuffle/config.toml", "The configuration of a user."),
    ("~/.config/playshuffle/never.m3u", "The tracks that no playlist has, written by `playshuffle never`."),
    ("/etc/playshuffle/config.toml", "The configuration of the machine."),
    ("~/.local/state/playshuffle", "Saved orders and deals. Do not delete this folder."),
    ("~/.cache/playshuffle", "Cached tags. You can delete this folder at any time."),
    ("~/.config/systemd/user/playshuffle*", "The units that `playshuffle service install` writes."),
)

ENVIRONMENT: Sequence[tuple[str, str]] = (
    ("PLAYSHUFFLE_CONFIG", "The configuration file, if --config is not given."),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "Other places for the folders above."),
    ("XDG_MUSIC_DIR", "The music folder that `playshuffle config init` suggests."),
    ("NO_COLOR", "Do not use colours."),
)
