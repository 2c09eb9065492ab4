"""Store tracks, orders and decks in a database."""
