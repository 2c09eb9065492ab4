"""Measure whether orders and playlists are shuffled well.

An order is shuffled many times, and the counts of each track's positions are tested against the exact
probabilities of its guarantee. Pure Python, except for pictures, which need the extra `playshuffle[audit]`.
"""
