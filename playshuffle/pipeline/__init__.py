"""The main path: make, keep or deal one playlist."""
