import pytest

from playshuffle.tags.reading import Tags
from playshuffle.tags.spoken import GENRES, why_spoken


@pytest.mark.parametrize(
    ("name", "tags", "expected"),
    [
        ("x.m4b", None, "spoken word: .m4b is for audiobooks"),
        ("x.M4B", Tags(genre="Rock"), "spoken word: .m4b is for audiobooks"),
        ("x.m4a", Tags(media_kind=2), "spoken word: its media kind is audiobook"),
        ("x.m4a", Tags(media_kind=21), "spoken word: its media kind is podcast"),
        ("x.mp3", Tags(genre="Hörspiel"), "spoken word: its genre is Hörspiel"),
        ("x.mp3", Tags(genre="HÖRBUCH"), "spoken word: its genre is HÖRBUCH"),
        ("x.mp3", Tags(genre="Fantasy; Audio Book"), "spoken word: its genre is Audio Book"),
    ],
)
def test_spoken_word_is_recognised_by_suffix_media_kind_or_genre(
    name: str, tags: Tags | None, expected: str
) -> None:
    assert why_spoken(name.encode(), tags) == expected


@pytest.mark.parametrize(
    "tags",
    [
        *(None, Tags(), Tags(title="Audiobook")),
        *(Tags(media_kind=kind) for kind in (1, 6, 10)),
        *(Tags(genre=genre) for genre in ("Spoken Jazz", "Comedy", "Podcast Rock")),
    ],
)
def test_music_is_not_spoken_word(tags: Tags | None) -> None:
    assert why_spoken(b"x.mp3", tags) == ""


def test_genres_in_the_table_of_spoken_word_are_case_folded() -> None:
    assert {genre.casefold() for genre in GENRES} == GENRES
