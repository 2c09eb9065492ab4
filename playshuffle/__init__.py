"""Playlists that play every track of a music folder once, in an order that is shuffled right."""

__version__ = "0.1.0"
