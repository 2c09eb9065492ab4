"""Define the options of a playlist, and which of them contradict each other."""
