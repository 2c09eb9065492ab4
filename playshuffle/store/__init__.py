"""Persistent state: last orders, decks, schema migrations."""
