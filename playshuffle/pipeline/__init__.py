"""Make, keep or deal one playlist."""
