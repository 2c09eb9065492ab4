"""Measure whether orders and playlists are shuffled well.

An order is shuffled many times, and the positions of each track are counted. The counts are tested
against the exact probabilities of the order's guarantee. Pure Python, except for pictures, which
need the extra `playshuffle[audit]`.
"""
