"""Measure whether orders and playlists are shuffled well.

An order is shuffled many times, and the positions of each track are tested against the exact probabilities of
the order's guarantee. Only pictures need the extra `playshuffle[audit]`.
"""
