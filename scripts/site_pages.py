"""Hooks of mkdocs: prepare tables and wide pictures for narrow screens, and the title of the front page."""

import re
from pathlib import Path
from typing import Any

_MOST_COLUMNS = 4  # of a table that stays a table on a phone
_WIDEST = 500  # units of a picture whose letters can be read at the width of a phone


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Show `|` in the code of tables, name the columns of wide tables, and let wide pictures scroll."""
    html = re.sub(r"<table>.*?</table>", lambda table: _table(table[0]), html, flags=re.DOTALL)
    folder = Path(page.file.abs_src_path).parent
    return re.sub(r'<p>(?:<a [^>]*>)?<img [^>]*src="([^"]*\.svg)"', lambda image: _image(image, folder), html)


def _table(html: str) -> str:
    # Markdown must write a backslash before `|`. Paths and names are broken at these signs only.
    html = re.sub(r"<td.*?</td>", lambda cell: cell[0].replace(r"\|", "|"), html, flags=re.DOTALL)
    html = re.sub(
        r"<code>.*?</code>", lambda code: re.sub(r"(?<=[/_|.=:])(?<!</)(?=\w)", "<wbr>", code[0]), html
    )
    names = [re.sub(r"<.*?>|\"", "", name) for name in re.findall(r"<th[^>]*>(.*?)</th>", html, re.DOTALL)]
    if len(names) <= _MOST_COLUMNS:
        return html
    cells = (f' data-name="{name}"' for _ in range(html.count("<tr>") - 1) for name in names)
    html = re.sub(r"<td(?=[ >])", lambda cell: cell[0] + next(cells), html)
    return f'<div class="cards">{html}</div>'


def _image(image: re.Match[str], folder: Path) -> str:
    width = re.search(r'viewBox="0 0 ([\d.]+)', (folder / image[1]).read_text())
    is_wide = width is not None and float(width[1]) > _WIDEST
    return image[0].replace("<p>", '<p class="wide" tabindex="0">') if is_wide else image[0]


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Give the front page the product and one sentence as its title."""
    title = f"<title>{config.site_name}: {config.site_description}</title>"
    is_front = page.file.src_uri == "index.md"
    return re.sub(r"<title>.*?</title>", title, output, count=1) if is_front else output
