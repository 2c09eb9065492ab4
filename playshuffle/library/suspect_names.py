"""Check quickly whether any file name may cause trouble for a player."""

from playshuffle.text import is_utf8

UNICODE_BREAKS = (b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")


# Everything but control characters and # % ? \, as far as ASCII goes.
_PLAIN = bytes({*range(0x20, 0x7F), *range(0x80, 0x100)} - {*b"#%?\\"})


_PLAIN_LENGTH = 200  # the lowest limit, minus the possible prefix of a relative entry


def is_plain(top: bytes, names: bytes) -> bool:
    """Return whether no player has trouble with the names in a folder; False if unsure.

    `top` is the folder, with a slash at its end. `names` are joined by slashes.
    """
    text = top + names
    if text.translate(None, _PLAIN) or b" /" in text or b"/ " in text:
        return False
    if len(top) + max(map(len, names.split(b"/"))) > _PLAIN_LENGTH:
        return False
    return text.isascii() or (is_utf8(text) and not any(sign in text for sign in UNICODE_BREAKS))
