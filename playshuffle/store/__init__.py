"""Store what lasts: last orders and decks, in a database."""
