"""Decks: rounds through the library, dealt a few tracks at a time."""
