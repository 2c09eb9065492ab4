"""Generate pages, man pages and pictures from the program."""
