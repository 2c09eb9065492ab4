"""Store last orders and decks in a database."""
