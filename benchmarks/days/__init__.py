"""Run real players for a hundred days over one library, and compare their plays.

python -m benchmarks.days            # all rows; writes docs/hundred-days.md and its picture
python -m benchmarks.days --days 10 --rows mpd mpv shuf
"""
