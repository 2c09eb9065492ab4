"""Replace the queue of a running player with a playlist."""
