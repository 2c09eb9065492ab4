"""Read play histories of players: last play, plays, skips and rating of each track."""
