"""Know the players: what each can read, and what it would lose."""
