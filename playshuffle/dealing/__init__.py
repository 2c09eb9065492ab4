"""Deal tracks from decks: rounds through the library, a few tracks at a time."""
