"""Explain topics that belong to several commands: `playshuffle help TOPIC`, which wraps long lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from playshuffle.cli.help_facts import ENVIRONMENT, EXIT_CODES, FILES
from playshuffle.cli.screen import Screen
from playshuffle.cli.streams import say
from playshuffle.config.example import example
from playshuffle.config.own_players import add_own_players
from playshuffle.errors import flag
from playshuffle.history.histories import HISTORIES, NAMES
from playshuffle.options.table import ROWS
from playshuffle.ordering.orders import BY_FIELD, ORDERS
from playshuffle.players.profiles import PLAYERS
from playshuffle.selection.fields import FIELDS
from playshuffle.text import any_of


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in rows:
        yield from (f"  {term}", f"      {meaning}")


def columns(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Return rows in two aligned columns."""
    width = max(len(term) for term, _ in rows)
    return (f"  {term:{width}}  {meaning}" for term, meaning in rows)


_AFTER_ORDERS = """
  --gap 25%        no track again before a quarter of the library was played
  --pin intro.mp3  this track comes first; also @last, @here, @7
  --group-by work  with --order groups: movements stay together
  --albums 2       with --order albums: two whole albums

Drawbacks and options of an order: playshuffle help spread"""


def _orders() -> Iterator[str]:
    yield "An order decides which track comes next. Choose one with --order NAME."
    yield ""
    for name, order in ORDERS.items():
        if name != "light":  # for special cases
            yield f"  {name:12}{order.guarantee}"
    yield _AFTER_ORDERS


def order_lines(name: str, screen: Screen) -> Iterator[str]:
    """Yield the help about an order."""
    order = ORDERS[name]
    yield from screen.wrapped(f"{name}: {order.guarantee}")
    as_written = "by:year" if name == BY_FIELD else name
    yield from screen.detail("Write", f"playshuffle make ~/Music --order {as_written}")
    yield from screen.detail("But", order.drawback)
    if order.tag == "rating":
        yield from screen.detail("Ratings", "in the tags; or --history mpd, or --history FAVOURITES.m3u")
        more_often = "a list of its own: playshuffle make ~/Music --where rating:4.. -o ~/best.m3u"
        yield from screen.detail("More often", more_often)
    sizes = ("limit", "time", "groups") if "inside" in order.takes else ("limit", "time")
    yield from screen.detail("Options", ", ".join(map(flag, (*order.takes, *sizes, "seed"))))
    if "inside" in order.takes:
        yield from screen.detail("Inside", 'to shuffle there, too, add inside = "all" to the configuration')
    if "group_by" in order.takes or name == BY_FIELD:
        yield from screen.detail("Fields", "album, artist, folder and all that playshuffle tags lists")


_AFTER_PLAYERS = """
  playshuffle help vlc    how to use a player, and what it cannot play
  playshuffle check FILE  find entries that do not work
  playshuffle tell mpd    replace the queue of a running player"""


def _players() -> Iterator[str]:
    say(fault.text for faults in add_own_players().values() for fault in faults)
    yield "Players read playlists differently. --for PLAYER writes the form for yours."
    yield ""
    width = max(map(len, PLAYERS)) + 2
    for name, player in PLAYERS.items():
        yield f"  {name:{width}}{player.title}: {player.writes_words()}"
    yield _AFTER_PLAYERS


_PHONE = """\
The phone needs a copy of the music folder. Its playlist works there as it is:

  playshuffle make ~/Music                  # then synchronise it by Syncthing
  playshuffle export LIST FOLDER            # or copy only the tracks of a list

Android: Poweramp reads playlists in its music folders at each scan. In VLC,
open the file below Browse. In Auxio, import it below Playlists.
iPhone, or music that stays at home: play it from a server.

  playshuffle help navidrome                # also help jellyfin

If only the playlist is copied, name the music folder of the phone:

  playshuffle make ~/Music --map ~/Music=/sdcard/Music -o ~/phone.m3u
"""

_NAS = """\
Use a container on the NAS, or a computer that mounts the share:

  playshuffle make /mnt/nas/Music   # relative paths work on both
  playshuffle make /mnt/nas/Music --map /mnt/nas=/volume1   # paths of the NAS

A share reports no changes. The service scans it at intervals: poll = "5m".
"""

_NAMES = """\
A word of a command names the first of these that the command can use:

  1. a list: by its name, as `playshuffle status --all` shows it, or the name
     of its file. ~/Music/playshuffle.m3u is Music. Its other name,
     playshuffle, works in its folder, and elsewhere if no other list has it.
  2. a file or folder: by its path. A folder stands for the list made of it
     where a command takes lists, such as export.
  3. a folder below a music folder, such as Miles/Live
  4. a query, such as genre:jazz
  5. a track: by its file name, with or without suffix, its title, or
     "artist - title"

Upper and lower case count only where two names differ in nothing else. If
several have the name, an error lists them. A part of a name is not enough.
./WORD is a path.
The keys without, history and pin of the configuration take the same names.
"""

_HISTORY = """\
What was dealt, the last track at the end:

  playshuffle status today --all

What a player has played: --history SOURCE of make, deal, watch, tags and why

  playshuffle make --history mpd --where plays:1.. -o heard.m3u
  playshuffle make --history mpd --where plays:0 -o unheard.m3u
  playshuffle make --history mpd --rest 30d          # heard lately: last
  playshuffle deal --history mpd --count played      # again until heard
  playshuffle make --history likes.m3u --order favourites
  playshuffle tags plays --history mpd               # how often

"""


def _history() -> list[str]:
    files = dict.fromkeys(history.file for history in HISTORIES if not history.name)
    sources = f"SOURCE is {any_of([*NAMES])}."
    others = f"Or it is a file: {any_of([*files])}. The tracks of a playlist get five stars."
    return [*_HISTORY.splitlines(), sources, others, 'In the configuration: history = ["mpd"]']


_WHERE = """\
--where QUERY chooses tracks. The syntax is that of beets.

  genre:jazz                the genre contains jazz, in any case
  genre:=Jazz               the genre is exactly Jazz
  artist::^The              a regular expression
  year:1990..1999           a range; 1990.. and ..1999 have one end
  genre:jazz year:1990..    both
  genre:jazz , genre:blues  either; OR is the same
  -title:live               not
  path:~/Music/Live         below a folder
"""
_AFTER_FIELDS = """
  playshuffle tags genre ~/Music  all values of a field
  playshuffle why song.mp3        why a file is in a playlist or not"""


def _where() -> Iterator[str]:
    yield _WHERE
    # Two spaces begin a column, in which the names are wrapped.
    yield f"Fields:  {', '.join(FIELDS)}."
    yield _AFTER_FIELDS


_TIMES = """\
A duration has a unit:

  90m, 2h, 45s, 1d  minutes, hours, seconds, days
  1h30, 1h 30m      hours and minutes
  1:30:00           hours, minutes and seconds
  "2 hours"         in words

A playlist by `make --time 90m` is never longer than 90 minutes.
"""


def _config() -> Iterator[str]:
    yield "The configuration is a TOML file. `playshuffle config init` writes this one:"
    yield ""
    yield example()
    yield "Keys of a playlist:"
    yield from columns([(row.key, row.help) for row in ROWS if row.has_key and not row.is_negated])
    yield from columns([(f"{row.key} = false", row.help) for row in ROWS if row.is_negated])


_AFTER_FILES = """
To move to another computer, or to save all: copy the first file's folder and
~/.local/state/playshuffle. Playlists, rounds and orders go on there.

Playlists may end in .m3u, .m3u8 or .xspf."""


def _files() -> list[str]:
    return ["Files:", *_table(FILES), "", "Environment:", *_table(ENVIRONMENT), _AFTER_FILES]


def _exit_codes() -> Iterator[str]:
    for code, meaning in EXIT_CODES:
        yield f"{code:5}  {meaning}"


_SERVICE = """\
The service keeps the playlists of the configuration up to date.

  playshuffle config init      write an example configuration, to edit
  playshuffle config check     show every problem in it
  playshuffle service install  install and start the service (systemd)
  playshuffle status           show folders, playlists and the service

Without systemd, `playshuffle watch` does the same in the foreground:

  in a container     make it the command of the container
  cron               @reboot playshuffle watch
  OpenRC, runit, s6  run playshuffle watch as this user, without forking
"""

TOPICS: Mapping[str, tuple[str, Callable[[], Iterable[str]]]] = {
    "orders": ("the orders, and how to choose one", _orders),
    "players": ("playlists for MPD, VLC, the car and others", _players),
    "phone": ("the same playlist on a phone", _PHONE.splitlines),
    "nas": ("music on a NAS", _NAS.splitlines),
    "where": ("queries, such as genre:jazz year:1990..", _where),
    "names": ("names of lists and tracks on the command line", _NAMES.splitlines),
    "history": ("what was dealt and played, and favourites", _history),
    "config": ("the configuration file and its options", _config),
    "times": ("durations, such as 90m", _TIMES.splitlines),
    "service": ("playlists that are kept up to date", _SERVICE.splitlines),
    "files": ("configuration, state and environment", _files),
    "exit-codes": ("what the exit codes mean", _exit_codes),
}
