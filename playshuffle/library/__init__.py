"""Find audio files, cache their tags, and recognise renamed or missing tracks."""
