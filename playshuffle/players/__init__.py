"""Player profiles: what each player can read, and what it would lose."""
