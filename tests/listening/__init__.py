"""Tests of the announcements of players, and of the plays that `playshuffle listen` records."""
