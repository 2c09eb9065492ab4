"""A hook of mkdocs: show `|` in the code of tables, where Markdown must write a backslash before it."""

import re
from typing import Any


def on_page_content(html: str, **_: Any) -> str:
    """Remove the backslashes before `|` in the code of tables."""
    return re.sub(r"<td>.*?</td>", lambda cell: cell[0].replace(r"\|", "|"), html, flags=re.DOTALL)
