"""Copy the tracks of a playlist to a stick, numbered in their order."""
