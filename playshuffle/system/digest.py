"""Provide BLAKE2 without the rest of `hashlib`, which loads OpenSSL: a tenth of the start of a command."""

try:
    from _blake2 import blake2b
except ImportError:  # a Python that takes it from elsewhere
    from hashlib import blake2b

__all__ = ["blake2b"]
