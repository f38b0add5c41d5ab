"""Pieces of HTML that tables, figures and pages are made of. A plain string is escaped, whoever wrote it."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from speclab.evidence.format import parse_format
from speclab.site.escape import escape, piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclab.evidence.estimates.estimate import Estimate


class Html(str):
    """HTML that is safe as it is: made here, not by a model or a run."""

    __slots__ = ()


def text(content: object) -> Html:
    """Anything as HTML: what is HTML already, unchanged; everything else escaped."""
    return content if isinstance(content, Html) else Html(escape(str(content)))


def token(made: str) -> Html:
    """A token's piece, as a model made it."""
    return Html(f'<code class="piece">{piece(made)}</code>')


def said(words: str) -> Html:
    """What a person wrote, a reason for instance: it may hold anything, and none of it is the page's own."""
    return Html(f'<span class="said">{escape(words)}</span>')


def code(content: str) -> Html:
    """A name, a path or a command."""
    return Html(f"<code>{escape(content)}</code>")


def link(target: str, content: object) -> Html:
    """A link to a page of the site.

    Args:
        target: From the root of the pages, for instance `/evidence/register.md#speed.mixed.k2`; mkdocs resolves
            and checks it.
        content: What is shown.
    """
    return Html(f'<a href="{escape(target, "attribute")}">{text(content)}</a>')


def table(
    caption: str, columns: Sequence[str], align: str, rows: Iterable[Sequence[object]], *, note: str = ""
) -> Html:
    """A table that scrolls within itself where the page is narrow.

    Args:
        caption: What it shows, plain text or `Html`.
        columns: Their headings.
        align: A letter a column: `l` for words, `r` for numbers.
        rows: Plain text or `Html`; the first cell of a row is its heading.
        note: Below the table.
    """
    kinds = ["" if letter == "l" else ' class="number"' for letter in align]
    head = "".join(f'<th scope="col"{kind}>{text(name)}</th>' for name, kind in zip(columns, kinds, strict=True))
    lines = []
    for row in rows:
        first, *rest = (f"{kind}>{text(cell)}" for cell, kind in zip(row, kinds, strict=True))
        lines.append(f'<tr><th scope="row"{first}</th>' + "".join(f"<td{cell}</td>" for cell in rest) + "</tr>")
    body = "\n".join(lines)
    # It can be scrolled, so it can be reached by the keyboard.
    label = escape(unescape(re.sub(r"<[^>]*>", "", text(caption))), "attribute")
    frame = f'<div class="lab-table" tabindex="0" role="region" aria-label="{label}">'
    below = f'<p class="lab-note">{text(note)}</p>' if note else ""
    return Html(
        f'{frame}<table class="lab"><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>{below}"
    )


def facts(caption: str, pairs: Iterable[tuple[str, object]]) -> Html:
    """A table of names and values."""
    return table(caption, ("what", "value"), "ll", pairs)


def shown(found: Estimate, form: str) -> Html:
    """An estimate's value, and its interval on a line of its own where there is one.

    Args:
        found: What to show.
        form: Its format, as in the register.
    """
    if found.value is None:
        return Html(f'<span title="{escape(found.reason or "", "attribute")}">–</span>')
    to_text = parse_format(form, found.unit).show
    if found.low is None or found.high is None:
        return text(to_text(found.value))
    return Html(f"{to_text(found.value)}<br><small>{to_text(found.low)} to {to_text(found.high)}</small>")
