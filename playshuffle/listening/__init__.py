"""Listen to players, and write down what was played and what was skipped."""
