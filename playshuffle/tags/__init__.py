"""Read the tags of audio files."""
