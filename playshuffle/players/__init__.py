"""Define players: which entries each can read, and which it would lose."""
