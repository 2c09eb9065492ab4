"""What players announce, and what `playshuffle listen` makes of it."""
