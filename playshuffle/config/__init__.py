"""Playlist options and the TOML configuration."""
