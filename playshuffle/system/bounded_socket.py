"""Connect to a player that may be slow, endless or not a player at all."""

import math
import socket
import time
from typing import Any

_LINE_BYTES = 32 << 20  # mpv sends a playlist of 100,000 tracks as one line
_ANSWER_BYTES = 256 << 20


class BoundedSocket(socket.socket):
    """A socket whose timeout is for the whole answer to a request, and whose answers have a limit of size.

    Attributes:
        most_bytes: limit of an answer.
    """

    most_bytes = _ANSWER_BYTES
    _patience_s: float | None = None
    _until_s = math.inf
    _answer_bytes = _line_bytes = 0

    def settimeout(self, value: float | None) -> None:
        self._patience_s = value
        self._begin()

    def send(self, *args: Any) -> int:
        self._begin()
        return super().send(*args)

    def sendall(self, *args: Any) -> None:
        self._begin()
        super().sendall(*args)

    def recv_into(self, buffer: Any, *args: Any) -> int:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        super().settimeout(left_s if left_s < math.inf else None)
        count = super().recv_into(buffer, *args)
        self._answer_bytes += count
        self._line_bytes = 0 if b"\n" in bytes(buffer[:count]) else self._line_bytes + count
        if self._answer_bytes > self.most_bytes or self._line_bytes > _LINE_BYTES:
            raise ConnectionError("its answer does not end")
        return count

    def _begin(self) -> None:
        super().settimeout(self._patience_s)
        self._until_s = math.inf if self._patience_s is None else time.monotonic() + self._patience_s
        self._answer_bytes = self._line_bytes = 0
