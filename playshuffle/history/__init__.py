"""Read what players remember of each track: last play, plays, skips, rating."""
