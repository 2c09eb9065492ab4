"""Answer everyday words, such as `stick`: what playshuffle can do, and the command that does it.

`help WORD`, and errors about unknown commands, options and orders use the table. A test runs each command.
"""

from typing import NamedTuple

# Words, a sentence, and a command that works as it is, for the folder ~/Music and a list of it. If
# playshuffle cannot do the thing, the sentence says what to do instead.
_TABLE = """
stick usb thumbdrive sd card copy cp transfer sync rsync device
  Copy a list to a stick:
  playshuffle export ~/Music /media/STICK

car radio-car auto mp3player walkman folders-of-99
  At most 99 tracks in a folder:
  playshuffle export ~/Music /media/STICK --max-per-folder 99

poweramp vlc-android auxio syncthing
  For a phone, see:
  playshuffle help phone

christmas xmas season seasons seasonal holiday holidays halloween advent
  Christmas music on these days only (the service makes it again each day):
  playshuffle make ~/Music --where '-genre:christmas , today:11-15..12-27'

classical symphony symphonies movement movements sonata opera keep-together together sequence medley
  Keep the tracks with the same tag together, in their order (work, grouping or another):
  playshuffle make ~/Music --order groups --group-by work

bpm tempo running workout jogging sport
  By the tag for the tempo:
  playshuffle make ~/Music --where bpm:120..130

hit hits oldie oldies
  It cannot alternate kinds of tracks, such as a hit and an old one. Near: higher rated ones come early:
  playshuffle make ~/Music --order favourites

rating ratings rated star stars weighted weight favorite favorites favourite best popular smart
  Higher rated tracks tend to come first:
  playshuffle make ~/Music --order favourites

skip skipped hate hated dislike disliked blacklist blocklist unwanted delete rm trash
  Keep a track out of all lists (its file stays):
  playshuffle never 'Morning'

endless forever queue infinite non-stop nonstop never-ending
  Endless music in the queue of MPD, each track once in a round:
  playshuffle tell mpd ~/Music --endless

daily day radio station stream mixtape every-day party
  Other tracks each day, until each was dealt once:
  playshuffle deal ~/Music

month monthly
  Other tracks each month:
  playshuffle deal ~/Music --every month

weekly week
  Other tracks each week:
  playshuffle deal ~/Music --every week

duplicate duplicates dupes dupe duplicated dedup doubles double twice
  Only the best copy of each recording:
  playshuffle make ~/Music --no-duplicates

audiobook audiobooks podcast podcasts spoken speech book books hoerbuch
  Spoken word stays out by itself. To include it:
  playshuffle make ~/Music --spoken

cron crontab schedule scheduled timer anacron
  Let cron run a deal each hour; it deals once a day:
  playshuffle deal ~/Music -q

docker container podman kubernetes synology qnap unraid openmediavault
  The documentation has a container: Install, In a container. For music on a NAS:
  playshuffle help nas

sonos chromecast alexa airplay dlna upnp plex emby subsonic airsonic
  Play the list from a server such as:
  playshuffle help navidrome

spotify youtube tidal deezer streaming
  It works with files only. To try it without any:
  playshuffle demo

ls dir lists show-all
  All lists:
  playshuffle status --all

update refresh rescan scan reload regenerate
  Make all configured lists again; or a folder:
  playshuffle make ~/Music

next more skip-to tomorrow
  What is dealt next; --now deals it:
  playshuffle deal ~/Music --peek

search find grep query filter
  Choose tracks by their tags:
  playshuffle make ~/Music --where genre:ambient

generate build write go run start playlist
  Make a list:
  playshuffle make ~/Music

least-played least least_played unplayed unheard neglected forgotten rarely-played lru
  Least played first, once playshuffle service install --listen has heard something:
  playshuffle make ~/Music --history listen --order rare

plays most-played playcount play-count top-played
  Most played first, once playshuffle service install --listen has heard something:
  playshuffle make ~/Music --history listen --order by:-plays

rest cooldown cool-down recently-played recently-heard
  What you have heard lately comes last, once playshuffle service install --listen has heard something:
  playshuffle make ~/Music --history listen --rest 3d,artist:2h

gap no-repeat-within
  At least 20 plays from one of a track to its next, also in the next list (for artists: help rest):
  playshuffle make ~/Music --gap 20

inside shuffle-inside
  Shuffle albums, and the tracks of each: write order = "albums" and inside = "all" for a list in:
  playshuffle help config

live studio acoustic remix remixes instrumental
  It cannot prefer the studio version of a song. Without live versions:
  playshuffle make ~/Music --where '-title:live -album:live'

append extend add add-to add-random
  It cannot add random tracks to a list. To keep its order, with new files at the end:
  playshuffle make ~/Music --order kept

new-first new-tracks-first new-files-first premiere
  It cannot put new tracks before shuffled ones in one list. Make two, and play this one first:
  playshuffle make ~/Music --where mtime:-1m.. -o ~/new.m3u

similar similarity alike mood energy harmonic mixing
  It cannot put similar tracks next to each other. Sorted by the tag for the tempo:
  playshuffle make ~/Music --order by:bpm

wish wishes wishlist requests titles
  A list for --from needs paths, not titles. Choose titles by a query:
  playshuffle make ~/Music --where 'title:Morning , title:Harbour' -o ~/wishes.m3u

newest new recent recently latest added recently-added
  Newest files first:
  playshuffle make ~/Music --order by:-mtime

oldest old chronological date released decade
  By year, the oldest first:
  playshuffle make ~/Music --order by:year

interleave interleaved alternate alternating separate spaced apart no-artist-repeat
  The same artist rarely twice in a row:
  playshuffle make ~/Music --order spread

fair equal equally balanced even proportional one-each
  At most a few tracks of each artist:
  playshuffle make ~/Music --most 5:artist

same reproducible repeatable deterministic fixed
  The same order each time:
  playshuffle make ~/Music --seed 1

unshuffled unsorted none original given as-is relative convert-paths rewrite
  A list with the same order and paths for your player:
  playshuffle make --from ~/Music/playshuffle.m3u --order kept -o ~/again.m3u

convert transcode format mp3 flac ffmpeg encode bitrate
  Files are copied as they are; convert them before, with ffmpeg. To copy:
  playshuffle export ~/Music /media/STICK

jingle jingles bumper bumpers interstitial ads mix mixed ratio interval crossfade gapless volume
replaygain
  It only orders tracks; radio software such as Liquidsoap mixes them. Orders:
  playshuffle help orders

album albums whole-album random-album
  One whole album at random:
  playshuffle make ~/Music --order albums --albums 1 -o ~/album.m3u

explicit children kids child parental clean family
  Without what the tags call explicit:
  playshuffle make ~/Music --where -explicit:yes

short interlude interludes skit skits intro intros
  Without tracks below a minute:
  playshuffle make ~/Music --where length:1:00..

hour minutes duration length-limit
  A list of at most an hour:
  playshuffle make ~/Music --time 1h -o ~/hour.m3u

size gb space full fit capacity
  What fits on a stick; the next deal has others:
  playshuffle deal ~/Music --size 8GB

uninstall remove-all purge
  Stop the service; then delete the program:
  playshuffle service uninstall

play listen-to player
  Make a list, and the report names the command to play it:
  playshuffle make ~/Music
"""


class EverydayAnswer(NamedTuple):
    """What playshuffle can do about some words: a sentence, and a command."""

    text: str
    command: str

    @property
    def line(self) -> str:
        return f"{self.text} {self.command}"


def answers() -> dict[str, EverydayAnswer]:
    """Return the answer to each word."""
    answer_of: dict[str, EverydayAnswer] = {}
    for block in _TABLE.strip().split("\n\n"):
        *words, text, command = (line.strip() for line in block.splitlines())
        answer_of |= dict.fromkeys(" ".join(words).split(), EverydayAnswer(text, command))
    return answer_of


def answer_to(word: str) -> EverydayAnswer | None:
    """Return the answer to a word, in upper or lower case, with or without dashes in front."""
    return answers().get(word.lower().lstrip("-").replace("_", "-").replace(" ", "-"))
