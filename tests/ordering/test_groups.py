"""Group tracks by artist, album, folder and other fields."""

import pytest

from playshuffle.ordering.groups import KEYS, album_ranks, artist_keys, group_keys, known_count
from playshuffle.tags.reading import Tags
from playshuffle.tags.tag_frames import Stream, tags_of
from tests.support.tagged import all_of, by_artists, tagged


def together(files: dict[str, Tags | None], by: str) -> list[set[str]]:
    """Return the groups of paths, in the order of their first tracks."""
    tracks, rows_of = tagged(files)
    found: dict[int, set[str]] = {}
    for path, key in zip(tracks.paths, group_keys(all_of(tracks, rows_of), by), strict=True):
        found.setdefault(key, set()).add(path.decode().removeprefix("/m/"))
    return list(found.values())


def numbers(*artists: str) -> list[int]:
    return list(artist_keys(by_artists(*artists)[0]))


def are_one(by: str, one: Tags, other: Tags) -> bool:
    return len(together({"/m/1": one, "/m/2": other}, by)) == 1


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("Queen", " QUEEN ", True),
        ("Queen", "Queen; David Bowie", True),
        ("Queen feat. David Bowie", "Queen", True),
        ("Queen (feat. David Bowie)", "Queen ft. Someone; Else", True),
        ("Queen [Featuring David Bowie]", "queen FT someone", True),
        ("Straße", "STRASSE", True),
        ("Bj\u00f6rk", "BJO\u0308RK", True),
        ("Queen", "King", False),
        ("Simon & Garfunkel", "Simon & Someone", False),
        ("Queen & David Bowie", "Queen", True),
        ("Queen, David Bowie", "queen", True),
        ("Queen x David Bowie", "Queen", True),
        ("Queen vs. The Miami Project", "Queen", True),
        ("Queen vs Someone", "Queen feat. Someone", True),
        ("Queen + Paul Rodgers", "Queen", True),
        ("Queen and Adam Lambert", "Queen", True),
        ("Queen, A & B", "Queen", True),
        ("Queensland & B", "Queen", False),
        ("Malcolm X Band", "Malcolm", True),
        ("Queen&King", "Queen", False),
        ("Little Feat", "Little", False),
        ("feat. X", "feat. Y", False),
        ("Left Featherstone", "Left", False),
        ("", "", False),
        ("Various Artists", "Various Artists", False),
        ("Various Artists feat. X", "Various Artists", False),
        ("[unknown]", "Unknown Artist", False),
    ],
)
def test_tracks_are_grouped_by_main_artist_if_the_artist_is_known(one: str, other: str, is_one: bool) -> None:
    assert are_one("artist", Tags(artist=one), Tags(artist=other)) is is_one


@pytest.mark.parametrize(
    ("by", "tag"),
    [("album", "album"), ("albumartist", "album_artist"), ("composer", "composer"), ("genre", "genre")],
)
def test_texts_that_differ_only_in_their_unicode_form_are_one_group(by: str, tag: str) -> None:
    assert are_one(by, Tags(**{tag: "Bj\u00f6rk"}), Tags(**{tag: "BJO\u0308RK"}))  # type: ignore[arg-type]


def test_an_artist_named_before_others_counts_only_if_the_library_has_tracks_of_this_artist_alone() -> None:
    earth = "Earth, Wind & Fire"
    together = ["A & B", "A, C & D", "A & B & E", earth, "Simon & Garfunkel", "Garfunkel"]

    assert known_count(numbers(*together)) == 5  # 'A & B & E' is by 'A & B'
    assert known_count(numbers(*together, "A")) == 4
    assert known_count(numbers(*together, "a", "Earth, Wind")) == 4
    assert numbers(earth, "Wind", "earth") == [0, 1, 0]


def test_the_number_of_artists_does_not_include_unknown_artists() -> None:
    keys = numbers("A", "", "B", "a", "Various", "")

    assert known_count(keys) == 2
    assert keys[0] == keys[3]
    assert len(set(keys)) == 5
    assert known_count(numbers()) == known_count(numbers("", "")) == 0


RELEASE, OTHER_RELEASE = (Tags(album="A", release_id=name) for name in ("r1", "r2"))
DISC_1, DISC_2, DISC_3 = (Tags(album="T", album_artist="A", disc=disc) for disc in (1, 2, 3))


@pytest.mark.parametrize(
    ("files", "groups"),
    [
        ({"X/1": Tags(album="A"), "X/2": Tags(album="a ")}, ["X/1|X/2"]),
        ({"X/1": Tags(album="A"), "X/2": Tags(album="B")}, ["X/1", "X/2"]),
        # Albums of several artists have the title Greatest Hits.
        ({"X/1": Tags(album="Hits"), "Y/1": Tags(album="Hits")}, ["X/1", "Y/1"]),
        ({str(at): Tags(album="Hits", album_artist=artist) for at, artist in enumerate("ABa")}, ["0|2", "1"]),
        # a compilation is one album
        ({"1": Tags(album="Mix", artist="A"), "2": Tags(album="Mix", artist="B")}, ["1|2"]),
        # a MusicBrainz release is one album in any folders and with any titles
        ({"X/1": RELEASE, "Y/2": RELEASE._replace(album="B"), "Y/3": OTHER_RELEASE}, ["X/1|Y/2", "Y/3"]),
        # without a title the folder is the album, also of several artists
        ({"X/1": None, "X/2": Tags(artist="A", album_artist="A"), "Y/1": None}, ["X/1|X/2", "Y/1"]),
        # discs
        ({"A/CD1/1": None, "A/CD2/1": None, "B/CD1/1": None}, ["A/CD1/1|A/CD2/1", "B/CD1/1"]),
        ({"A/1": Tags(album="T"), "A/Disc 2/1": Tags(album="T (Disc 2)")}, ["A/1|A/Disc 2/1"]),
        ({"A/disk_1/1": Tags(album="T"), "A/disk_2/1": Tags(album="T")}, ["A/disk_1/1|A/disk_2/1"]),
        (
            {"A CD1/1": Tags(album="T [CD 1]"), "A (cd 2) B/1": Tags(album="T, Disc 2: B")},
            ["A (cd 2) B/1|A CD1/1"],
        ),
        ({"CD1 - Early/1": None, "CD2 - Late/1": None}, ["CD1 - Early/1|CD2 - Late/1"]),
        # discs in folders of any name, if artist, title and numbers agree
        (
            {"A/Digital 01/1": DISC_1, "A/Disc Two/1": DISC_2, "A/LP3/1": DISC_3},
            ["A/Digital 01/1|A/Disc Two/1|A/LP3/1"],
        ),
        ({"A/1": DISC_1, "A/2": DISC_1, "A/Bonus/1": DISC_2}, ["A/1|A/2|A/Bonus/1"]),
        ({"A/1": Tags(album="T", album_artist="A"), "A/Bonus/1": DISC_2}, ["A/1|A/Bonus/1"]),
        ({"A/CD1/1": DISC_1, "A/CD2/1": DISC_2, "A/Extra/1": DISC_3}, ["A/CD1/1|A/CD2/1|A/Extra/1"]),
        ({"A/1": DISC_1, "A/B/1": DISC_2, "A/C/1": DISC_3, "D/1": DISC_1}, ["A/1|A/B/1|A/C/1", "D/1"]),
        # two albums of one name
        ({"A/1997/1": DISC_1, "A/2011/1": DISC_1, "A/2011/2": DISC_2}, ["A/1997/1", "A/2011/1|A/2011/2"]),
        ({"A/1": DISC_1, "B/C/1": DISC_2}, ["A/1", "B/C/1"]),
        ({"A/1/1": DISC_1, "A/2/1": DISC_2._replace(album_artist="B")}, ["A/1/1", "A/2/1"]),
        ({"A/1/1": DISC_1, "A/2/1": DISC_2._replace(album="U")}, ["A/1/1", "A/2/1"]),
        (dict.fromkeys(("A/1/1", "A/2/1"), DISC_1._replace(disc=None)), ["A/1/1", "A/2/1"]),
        # no discs
        ({"ABCD 1/1": None, "ABCD 2/1": None}, ["ABCD 1/1", "ABCD 2/1"]),
        ({"Disco 1/1": None, "Disco 2/1": None}, ["Disco 1/1", "Disco 2/1"]),
        ({"Volume 1/1": None, "Volume 2/1": None}, ["Volume 1/1", "Volume 2/1"]),
        ({"CD 1999/1": None, "CD 2000/1": None}, ["CD 1999/1", "CD 2000/1"]),
    ],
    ids=str,
)
def test_tracks_are_grouped_into_albums_by_tags_and_folders(
    files: dict[str, Tags | None], groups: list[str]
) -> None:
    found = together({f"/m/{path}": tags for path, tags in files.items()}, "album")

    assert ["|".join(sorted(group)) for group in found] == groups


def test_tracks_of_an_album_are_sorted_by_disc_then_track_number_then_path() -> None:
    """The disc number is from the tag, else from the title, else from the name of the folder, else 1."""
    tracks, rows_of = tagged(
        {
            "/m/A/CD2/01": Tags(album="T", number=1),
            "/m/A/CD1/01": Tags(album="T", number=2),
            "/m/A/CD1/02": Tags(album="T", number=1),
            "/m/A/bonus": Tags(album="T (Disc 3)", number=1),
            "/m/A/more": Tags(album="T (Disc 3)", number=1, disc=4),
            "/m/A/CD1/extra b": Tags(album="T"),
            "/m/A/CD1/extra a": Tags(album="T"),
            "/m/B/02 b": None,
            "/m/B/01 a": None,
        }
    )

    order = sorted(range(9), key=album_ranks(all_of(tracks, rows_of)).__getitem__)

    assert [tracks.paths[index].decode()[3:] for index in order] == [
        "A/CD1/02", "A/CD1/01", "A/CD1/extra a", "A/CD1/extra b", "A/CD2/01", "A/bonus", "A/more",
        "B/01 a", "B/02 b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        (["B1", "A2", "A10", "A1", "C1", "AA1"], ["A1", "A2", "A10", "B1", "C1", "AA1"]),
        (["1B", "2", "1A", "10"], ["1A", "1B", "2", "10"]),
        (["2-1", "1-2", "1-10", "1-1"], ["1-1", "1-2", "1-10", "2-1"]),
        (["2-A1", "1-B1", "1-A2"], ["1-A2", "1-B1", "2-A1"]),
        (["B", "A"], ["A", "B"]),
    ],
)
def test_track_numbers_with_disc_side_or_part_such_as_1_a2_are_sorted_by_disc_side_number_part(
    positions: list[str], expected: list[str]
) -> None:
    files = {
        f"/m/{at}": tags_of({"title": [position], "album": ["T"], "tracknumber": [position]}, Stream(1))
        for at, position in enumerate(positions)
    }
    tracks, tags = tagged(files)

    order = sorted(range(len(positions)), key=album_ranks(all_of(tracks, tags)).__getitem__)

    assert [positions[int(tracks.paths[index][3:])] for index in order] == expected


@pytest.mark.parametrize("number", [None, 0, 1])
def test_tracks_of_an_album_with_equal_or_no_numbers_are_sorted_naturally_by_name(number: int | None) -> None:
    names = ["1", "2", "9", "10", "11 a", "11 b"]
    tracks, tags = tagged({f"/m/{name} - s.mp3": Tags(album="T", number=number) for name in names})

    order = sorted(range(len(names)), key=album_ranks(all_of(tracks, tags)).__getitem__)

    assert [tracks.paths[index].decode()[3:].removesuffix(" - s.mp3") for index in order] == names


@pytest.mark.parametrize(
    ("by", "one", "other", "is_one"),
    [
        ("genre", Tags(genre="Rock; Pop"), Tags(genre="rock"), True),
        ("genre", Tags(genre="Rock"), Tags(genre="Pop; Rock"), False),
        ("genre", Tags(), Tags(), False),
        ("genre", Tags(), None, False),
        ("year", Tags(date="1997-09-22"), Tags(date="1997"), True),
        ("year", Tags(date="1997"), Tags(date="1998"), False),
        ("date", Tags(date="1997-09-22"), Tags(date="1997"), False),
        ("original_year", Tags(original_date="1997-09-22"), Tags(original_date="1997"), True),
        ("work", Tags(work="No. 5", composer="A"), Tags(work="no. 5", composer="A; B"), True),
        ("work", Tags(work="No. 5", composer="A"), Tags(work="No. 5", composer="B"), False),
        ("work", Tags(composer="A"), Tags(composer="A"), False),
        ("composer", Tags(composer="A; B"), Tags(composer="a"), True),
        ("albumartist", Tags(album_artist="Various Artists"), Tags(album_artist="Various Artists"), False),
        ("albumartist", Tags(album_artist="A"), Tags(album_artist="A ft. B"), True),
    ],
)
def test_tracks_are_grouped_by_the_first_value_of_a_tag(
    by: str, one: Tags, other: Tags, is_one: bool
) -> None:
    """A track without the tag is in no group with another."""
    assert are_one(by, one, other) is is_one


@pytest.mark.parametrize("by", KEYS)
def test_tracks_can_be_grouped_by_every_field_and_tracks_without_it_are_groups_of_their_own(by: str) -> None:
    values = {name: "1999" if kind is str else 1 for name, kind in Tags.__annotations__.items()}
    whole = Tags(**values)  # type: ignore[arg-type]
    sizes = sorted(map(len, together({"/m/1.ogg": whole, "/m/2.ogg": whole, "/m/n/3.mp3": None}, by)))

    assert sizes == ([1, 1, 1] if by == "path" else [3] if by in ("size", "mtime") else [1, 2])
