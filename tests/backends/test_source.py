"""Which random source a model gets."""

import pytest

from speclab.backends import words
from speclab.backends.hf.source import TorchSource
from speclab.backends.source import source_for
from speclab.backends.table import NumpySource
from tiny_pair import tiny


def test_a_source_fits_its_model() -> None:
    """Laws of torch are drawn with torch's numbers, those of a table without it."""
    assert isinstance(source_for(words.target(), 1), NumpySource)
    assert isinstance(source_for(tiny(), 1), TorchSource)


@pytest.mark.parametrize("model", [words.target(), tiny()], ids=["table", "torch"])
def test_the_seed_decides(model: object) -> None:
    """The same seed decides alike, another one otherwise."""
    law = (0.25,) * 4
    one, same, other = (
        [source.choose(law, place) for place in range(30)]
        for source in (source_for(model, seed) for seed in (7, 7, 8))  # type: ignore[arg-type]
    )
    assert one == same != other
