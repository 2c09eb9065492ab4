"""Write shuffled playlists for any player: every track in the music folders, exactly once."""

__version__ = "0.1.0"
