"""Make one playlist in a new order."""

from array import array
from collections.abc import Iterator, Sequence

from playshuffle.duration import words
from playshuffle.errors import Note
from playshuffle.ordering.arrange import Arranged, arrange, last_order, needs_last
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import field_values, group_keys, sort_keys
from playshuffle.ordering.orders import KEPT, ORDERS, block_keys, field_of
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.entry_writer import notes_on_mpd
from playshuffle.pipeline.report import LACKING_GROUPS, Report
from playshuffle.pipeline.run import Run
from playshuffle.store.records import NOTHING, SavedDeck, SavedOrder
from playshuffle.text import counted


def make(run: Run) -> Report:
    """Write a playlist in a new order.

    Raises:
        PlayshuffleError: the playlist cannot be made.
    """
    if run.choice.pin_problems:
        raise run.choice.pin_problems[0]
    recipe = run.complete_recipe()
    arranged, notes = draw_order(run, recipe)
    notes += [*notes_on_mpd(run.request), *_notes_on_cut_group(run.chosen, recipe, arranged)]
    return write_order(run, arranged, notes)


def draw_order(run: Run, recipe: Recipe) -> tuple[Arranged, list[Note]]:
    """Return the tracks in a new order, and notes about it."""
    last = _last_order(run) if needs_last(recipe) else None
    notes = [*_notes_on_order(run, recipe, last), *_notes_on_time(run, recipe), *notes_on_fields(run)]
    return arrange(run.chosen, recipe, last, run.tools.randbelow), notes


def write_order(run: Run, arranged: Arranged, notes: Sequence[Note]) -> Report:
    """Write the playlist in a new order, which `undo` takes back."""
    digest = run.tracks.digest(run.choice.remaining)
    drawn_s, order = int(run.now.timestamp()), array("i", arranged.order)
    record = SavedOrder(order, frozenset(), arranged.playlist_length, drawn_s, "", digest)
    return run.write(arranged, record, run.record.saved or NOTHING, notes)


def _last_order(run: Run) -> Arranged | None:
    if run.request.files is not None and run.request.recipe.order_name == KEPT:
        return last_order(run.choice.remaining, run.tracks.indices_at(run.request.files))
    if run.file is None:
        return None
    if run.record.order is None:
        return last_order(run.choice.remaining, ())
    return last_order(run.choice.remaining, run.record.order.present_then, run.record.order.length)


def _notes_on_order(run: Run, recipe: Recipe, last: Arranged | None) -> Iterator[Note]:
    if isinstance(run.record.saved, SavedDeck):
        text = "This playlist was dealt. Until its next make, undo brings its deals back."
        yield Note("was_dealt", text)
    if ORDERS[recipe.order_name].from_last and (last is None or not last.playlist_length):
        text = f"This playlist has no last order, so {recipe.order_name} starts from the order by path."
        yield Note("no_last_order", text)
    if recipe.order_name == "favourites":
        ratings = field_values(run.chosen, "rating")
        if 0 < ratings.count(None) < len(ratings):
            rated = f"{len(ratings) - ratings.count(None):,} of {counted(len(ratings), 'track')}"
            yield Note("ratings", f"Tracks with a rating: {rated}. The others count as half of the best.")
    if recipe.rests:
        times = ((words(time_ms), field) for field, time_ms in recipe.rests)
        time = " or ".join(f"{time} (same {field})" if field else time for time, field in times)
        text = f"No track was played in the last {time}, so none comes last."
        if recipe.resting:
            text = f"Played in the last {time}, so at the end: {counted(len(recipe.resting), 'track')}"
        yield Note("rest", text)


def _notes_on_time(run: Run, recipe: Recipe) -> Iterator[Note]:
    if recipe.time_ms is None:
        return
    lengths_ms = list(map(run.tracks.durations_ms.__getitem__, run.choice.remaining))
    if unknown := lengths_ms.count(0):
        tracks = f"{counted(unknown, 'track')} of unknown length"
        yield Note("unknown_length", f"{tracks} skipped, since the playing time is limited")
    if longer := sum(length_ms > recipe.time_ms for length_ms in lengths_ms):
        text = f"{counted(longer, 'track')} longer than the limit of the playing time skipped"
        yield Note("too_long", text)
    if recipe.limit is None and sum(lengths_ms) < recipe.time_ms:
        text = f"All tracks together last {words(sum(lengths_ms))}, less than {words(recipe.time_ms)}."
        yield Note("short_time", text)


def _notes_on_cut_group(chosen: Chosen, recipe: Recipe, arranged: Arranged) -> list[Note]:
    order, count, is_whole = arranged.order, arranged.playlist_length, recipe.group_count is not None
    if "inside" not in ORDERS[recipe.order_name].takes or is_whole or not 0 < count < len(order):
        return []
    keys = block_keys(chosen, recipe)
    groups = [keys[index] for index in order]
    cut = groups[count - 1]
    if groups[count] != cut:
        return []
    whole = max(len({*groups[:count]}) - 1, 1)
    noun = "album" if recipe.order_name == "albums" else "group"
    text = f"The last {noun} is cut: {groups[:count].count(cut):,} of its {groups.count(cut):,} tracks."
    return [Note("cut_group", f"{text} For whole {noun}s: --{noun}s {whole:,}")]


def notes_on_fields(run: Run) -> Iterator[Note]:
    """Yield notes about fields that the request uses, and that many tracks lack."""
    recipe, limit, chosen = run.request.recipe, run.request.most, run.chosen
    total, order = len(chosen.indices), ORDERS[recipe.order_name]
    if "group_by" in order.takes and (tag := recipe.group_by or order.tag) is not None:
        lacking = _lacking(chosen, tag)
        if 2 * lacking > total:
            text = f"Tracks with the tag {tag}: {total - lacking:,} of {counted(total, 'track')}."
            yield Note(LACKING_GROUPS, f"{text} Each other track is a group of its own.")
    if limit is not None and _lacking(chosen, limit.tag) == total:
        text = f"No track has the tag {limit.tag}, so the limit of {limit} omits none."
        yield Note(LACKING_GROUPS, text)
    if (tag := field_of(recipe.order_name)) is not None and (lacking := sort_keys(chosen, tag).count(None)):
        text = f"{lacking:,} of {counted(total, 'track')} without {tag}, at the end in random order."
        yield Note("lacking_tags", text)


def _lacking(chosen: Chosen, tag: str) -> int:
    """Return how many tracks are groups of their own, since they have no tag."""
    keys = group_keys(chosen, tag)
    return sum(keys[index] < 0 for index in chosen.indices)
