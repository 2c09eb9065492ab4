"""Turn folders of music into shuffled playlists that play every track once."""

__version__ = "0.1.0"
