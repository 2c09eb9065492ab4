"""Read the options of playlists from the TOML configuration."""
