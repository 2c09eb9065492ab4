"""Measure whether orders and playlists are shuffled well.

An order is shuffled many times. The counts of each track's positions are tested against the exact
probabilities of its guarantee. Only pictures need the extra `playshuffle[audit]`.
"""
