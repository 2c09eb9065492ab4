"""Copy the tracks of a playlist to a stick, numbered in order or under their own names."""
