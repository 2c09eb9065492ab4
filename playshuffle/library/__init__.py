"""Find audio files, read and cache their tags, and recognise renamed or missing tracks."""
