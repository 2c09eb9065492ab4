"""Draw audited orders and playlists as PNG or SVG, with Matplotlib."""

import io
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

# Blue: too rare; orange: too frequent. Red-green colour-blind people can distinguish them.
_COLOURS = ("#08519c", "#6baed6", "#ffffff", "#fdae6b", "#a63603")
_SHADES = 2 * 5 + 1
_NEVER = "#969696"
_FARTHEST = 5  # standard deviations; one cell of a good matrix in 1.7 million is beyond


def picture(path: str, matrix: Sequence[Sequence[float]], title: str) -> bytes:
    """Return a picture of the matrix, as PNG or SVG by the suffix of the path."""
    size = len(matrix)
    colours = LinearSegmentedColormap.from_list("rare to frequent", _COLOURS, _SHADES)
    figure = Figure(figsize=(5.6, 5), dpi=100, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(
        matrix,
        cmap=colours.with_extremes(bad=_NEVER),
        vmin=-_FARTHEST,
        vmax=_FARTHEST,
        interpolation="nearest",
        extent=(0.5, size + 0.5, size + 0.5, 0.5),
    )
    axes.set(title=title, xlabel="position in the new order", ylabel="position in the old order")
    legend = figure.colorbar(image, extend="both", shrink=0.8)
    legend.set_label("too rare  ←  standard deviations  →  too frequent")
    return saved(path, figure)


def saved(path: str, figure: Figure) -> bytes:
    """Return a figure as PNG or SVG, by the suffix of the path."""
    file = io.BytesIO()
    form = path.lower()[-3:]
    # Without a date, and with fixed names, the same figures give the same bytes.
    with mpl.rc_context({"svg.hashsalt": "playshuffle"}):
        figure.savefig(file, format=form, metadata={"Date": None} if form == "svg" else {"Software": None})
    return file.getvalue()
