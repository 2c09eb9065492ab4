"""Read the tags of a file: its bytes in, tags out."""
