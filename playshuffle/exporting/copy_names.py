"""Make names of copies that every file system and player accepts."""

import unicodedata

from playshuffle.library.extinf import one_line

_FORBIDDEN = frozenset('<>:"/\\|?*')  # not allowed on FAT
_MOST_BYTES = 180  # of the 255 of a name; the rest is for number and suffix

# Letters that Unicode does not decompose into a plain letter and an accent.
_LETTERS = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2013\u2014", "-"),
        **dict.fromkeys("\u2018\u2019\u201c\u201d", "'"),
        "\xdf": "ss",
        "\u1e9e": "SS",
        "\xe6": "ae",
        "\xc6": "AE",
        "\u0153": "oe",
        "\u0152": "OE",
        "\xf8": "o",
        "\xd8": "O",
        "\u0142": "l",
        "\u0141": "L",
        "\u0111": "d",
        "\u0110": "D",
        "\xf0": "d",
        "\xd0": "D",
        "\xfe": "th",
        "\xde": "Th",
        "\u0131": "i",
    }
)


def safe_name(text: str, *, is_ascii: bool) -> str:
    """Return a text as a name, or a part of one, that does not begin or end with a space or dot.

    With `is_ascii`, for simple devices, accents are dropped and other letters become `_`.
    """
    text = unicodedata.normalize("NFC", one_line(text))
    if is_ascii:
        parts = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
        text = one_line(plain.encode("ascii", "replace").decode())  # an accent alone becomes a space
    text = "".join("_" if letter in _FORBIDDEN or not letter.isprintable() else letter for letter in text)
    return text.encode()[:_MOST_BYTES].decode(errors="ignore").strip(" .") or "_"
