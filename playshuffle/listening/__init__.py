"""Listen to players, and record which tracks were played or skipped."""
