"""Measure whether orders and playlists are shuffled well.

An order is shuffled many times, and the positions of each track are counted. The counts are tested
against the guarantee of the order, given as exact probabilities. Pure Python, except for pictures,
which need the extra `playshuffle[audit]`.
"""
