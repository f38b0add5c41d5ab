"""The table model: the loop's protocol without torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from speclab.backends.table import TableModel
from speclab.decoding.protocols import RollbackError
from tables import counting


def test_feeds_and_cuts_its_list() -> None:
    """Rows of the table, the tokens fed, and exact cuts."""
    model = counting(5)
    assert model.vocabulary == 5
    assert model.feed([1, 3]).argmax(-1).tolist() == [2, 4]
    assert model.feed([0, 2], last=1).argmax(-1).tolist() == [3]
    assert (model.ids, model.length) == ([1, 3, 0, 2], 4)
    model.rollback(4)
    model.rollback(1)
    assert model.ids == [1]
    for length in (2, -1):
        with pytest.raises(RollbackError, match=f"1 positions cannot be cut back to {length}"):
            model.rollback(length)


def test_fork_has_a_list_of_its_own() -> None:
    """What the copy is fed, the first does not hold."""
    model = counting(5, context=7)
    model.feed([1])
    twin = model.fork()
    twin.feed([2])
    assert (model.ids, twin.ids, twin.context) == ([1], [1, 2], 7)


def test_unusable_tables_and_overruns_are_refused() -> None:
    """A matrix that is not square; more positions than the context."""
    with pytest.raises(ValueError, match=r"square matrices of logits, not an array of shape \(2, 3\)"):
        TableModel(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="3 positions asked of a context of 2"):
        counting(5, context=2).feed([1, 2, 3])


@pytest.mark.parametrize("module", ["speclab", "speclab.backends.generate", "speclab.backends.table"])
def test_nothing_heavy_is_imported(module: str) -> None:
    """A table generates without torch."""
    code = f"import {module}, sys; sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
