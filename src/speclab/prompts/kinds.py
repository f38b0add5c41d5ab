"""The kinds of text that the project's own prompts come in."""

from __future__ import annotations

KINDS = {
    "prose": "prose",
    "code": "code",
    "repetitive": "repetitive or structured text",
    "json": "JSON and tool calls",
    "copying": "copying: quoted text, edits that repeat most of the input",
    "chat": "chat",
}
"""Identifier, as it stands in files and rows, and what it means; in the order in which they are shown.

Prompts from elsewhere may bring kinds of their own.
"""
