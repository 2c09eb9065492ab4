"""Choose tracks by a query, and find copies of one recording."""
