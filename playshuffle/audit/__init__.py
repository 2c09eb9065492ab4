"""Is it well shuffled? Figures on an order that is made often, and on a playlist that was made once.

An order is shuffled many times and counted: how often each track ends at each place. What is
counted is held against the law of that order, as exact chances. Pure Python throughout, but for
pictures, which need the extra `playshuffle[audit]`.
"""
