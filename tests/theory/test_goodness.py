"""The test of fit: what it counts, what it refuses, and how often it is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from speclab.backends.table import TableModel
from speclab.decoding.sampling import Sampling
from speclab.errors import InputError
from speclab.theory.cells import as_law, make_cells
from speclab.theory.enumerate import joint_law
from speclab.theory.goodness import chi_square, holm, total_variation


def test_agrees_with_scipy() -> None:
    """Where every cell is large, the statistic and the p-value are the textbook's."""
    p = np.array([0.5, 0.3, 0.2])
    counts = np.array([480, 330, 190])
    found = chi_square(counts, p)
    expected = stats.chisquare(counts, p * 1000)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.draws, found.cells, found.degrees, found.pooled_mass) == (1000, 3, 2, 0.0)
    assert found.reason is None


def test_an_impossible_token_fails_at_once() -> None:
    """One draw in ten thousand of a token with p = 0 is named, whatever the other counts say."""
    found = chi_square([5000, 4999, 0, 1], [0.5, 0.5, 0.0, 0.0])
    assert found.impossible == (3,)
    assert found.p_value == 0.0
    assert found.statistic is None
    assert found.reason is not None
    assert "id 3 was drawn 1 times" in found.reason
    assert found.verdict(1e-300) == "impossible token"


def test_pooling_hides_no_impossible_token() -> None:
    """Also where everything else would be pooled into a single cell, and where p has one token."""
    assert chi_square([3, 0, 1], [0.5, 0.5, 0.0], top=1).verdict(0.001) == "impossible token"
    assert chi_square([9, 1], [1.0, 0.0]).verdict(0.001) == "impossible token"


def test_float32_laws_are_renormalised_once_in_float64() -> None:
    """Two hundred float32 softmax vectors of size 5,000 pass, although numpy refuses some of them."""
    generator = np.random.default_rng(1)
    for _ in range(200):
        logits = generator.normal(size=5000).astype(np.float32) * 4
        weights = np.exp(logits - logits.max())
        p = weights / weights.sum(dtype=np.float32)
        assert p.dtype == np.float32
        law = as_law(p)
        assert law.dtype == np.float64
        assert abs(float(law.sum()) - 1) < 1e-15
        assert chi_square(generator.multinomial(20_000, law), p).p_value is not None


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, 0.4999], "adds up to 0.9999"),
        ([0.5, 0.5039], "adds up to 1.0039"),
        ([1.5, -0.5], "negative"),
        ([math.nan, 1.0], "NaN"),
        ([math.inf, 0.0], "infinity"),
        ([], "shape"),
        ([[0.5, 0.5]], "shape"),
    ],
)
def test_what_is_no_law(p: list[float], message: str) -> None:
    """A filtered law that was not renormalised, or anything else that is no law, is an error about p."""
    with pytest.raises(InputError, match=message) as caught:
        chi_square([1] * len(p), p)
    assert str(caught.value).startswith("p ")


@pytest.mark.parametrize("counts", [[1, 2, 3], [1.5, 2.5], [-1, 2], [math.nan, 1]])
def test_what_are_no_counts(counts: list[float]) -> None:
    """One whole, non-negative number a token is needed."""
    with pytest.raises(InputError, match="counts"):
        chi_square(counts, [0.5, 0.5])


def test_a_single_cell_is_not_testable() -> None:
    """Top-k of one, four draws, or none at all: no p-value, and never a pass."""
    for found in (
        chi_square([7, 0, 0], [1.0, 0.0, 0.0]),
        chi_square([1, 1, 1, 1], [0.25] * 4),
        chi_square([0, 0], [0.5, 0.5]),
    ):
        assert (found.cells, found.degrees) == (1, 0)
        assert found.statistic is None
        assert found.p_value is None
        assert found.reason is not None
        assert found.reason.startswith("not testable")
        assert found.verdict(0.05) == "not testable"


def test_degrees_come_from_the_law() -> None:
    """A cell that was expected and not observed still counts; tokens with p = 0 never do."""
    found = chi_square([100, 0, 0, 0], [0.4, 0.3, 0.3, 0.0])
    assert found.degrees == 2
    assert found.pooled_mass == 0.0
    assert found.statistic == pytest.approx(60**2 / 40 + 30 + 30)


def test_cells_follow_from_expected_counts() -> None:
    """Own cells by likelihood, the rest pooled, and the pooled cell made large enough itself."""
    p = as_law([0.02, 0.4, 0.3, 0.25, 0.03])
    cells = make_cells(p, 100)  # expected 2, 40, 30, 25, 3
    assert cells.own.tolist() == [1, 2, 3]
    assert cells.pooled_mass == pytest.approx(0.05)
    merged = make_cells(p, 90)  # 1.8 and 2.7 make 4.5: one more cell goes in
    assert merged.own.tolist() == [1, 2]
    assert merged.pooled_mass == pytest.approx(0.3)
    assert make_cells(p, 1000, top=2).own.tolist() == [1, 2]
    assert len(make_cells(p, 1000)) == 5
    assert len(make_cells(as_law([0.5, 0.5]), 10)) == 2  # five are enough
    assert make_cells(as_law([0.5, 0.44, 0.06, 0.0]), 50).rest.tolist() == [False, True, True, False]
    assert make_cells(p, 1000).pooled_mass == 0.0
    assert np.isclose(merged.law.sum(), 1)


def test_pooling_never_looks_at_the_counts() -> None:
    """The same law and number of draws give the same cells, whatever was drawn."""
    p = np.array([0.5, 0.3, 0.15, 0.03, 0.02])
    first, second = chi_square([50, 30, 15, 3, 2], p), chi_square([20, 20, 20, 20, 20], p)
    assert first.cells == second.cells == 4
    assert first.pooled_mass == second.pooled_mass == pytest.approx(0.05)


def test_a_vocabulary_of_real_size() -> None:
    """151,936 tokens and 2,000 draws: few cells and a tail; every count is in exactly one of them."""
    generator = np.random.default_rng(2)
    logits = generator.normal(size=151_936) * 3
    p = np.exp(logits - logits.max())
    p /= p.sum()
    counts = generator.multinomial(2000, p)
    found = chi_square(counts, p)
    assert 2 <= found.cells < 100
    assert 0.5 < found.pooled_mass < 1
    assert found.p_value is not None
    assert found.p_value > 0.001
    assert chi_square(counts, p, top=10).cells == 11
    cells = make_cells(as_law(p), 2000)
    assert cells.add_up(counts.astype(np.float64)).sum() == 2000


def test_no_warning_at_the_extremes() -> None:
    """Probabilities near the smallest float give no warning and no NaN."""
    assert chi_square([600, 400, 0], [0.6, 0.4, 5e-324]).p_value == pytest.approx(1.0)


@pytest.mark.parametrize("arguments", [{"top": 0}, {"min_expected": 0.0}, {"min_expected": math.nan}])
def test_cell_arguments_out_of_range(arguments: dict[str, float]) -> None:
    """No cells at all, or cells that expect nothing, are refused."""
    with pytest.raises(InputError, match="draws is"):
        chi_square([5, 5], [0.5, 0.5], **arguments)  # type: ignore[arg-type]


def test_false_alarms_are_as_rare_as_stated() -> None:
    """A true sampler: p-values are uniform, and families of ten tests under Holm alarm in at most 5 %."""
    generator = np.random.default_rng(4)
    p = generator.dirichlet(np.full(40, 0.7))
    values = []
    for counts in generator.multinomial(20_000, p, size=5000):
        value = chi_square(counts, p).p_value
        assert value is not None
        values.append(value)
    assert stats.kstest(values, "uniform").pvalue > 0.001
    families = [any(holm(values[start : start + 10], 0.05)) for start in range(0, 5000, 10)]
    assert stats.binomtest(sum(families), len(families), 0.05).pvalue > 0.001
    # Without the correction two good builds in five would fail.
    naive = np.mean([min(values[start : start + 10]) < 0.05 for start in range(0, 5000, 10)])
    assert naive > 0.3


def test_joint_cells_catch_what_the_first_token_cannot() -> None:
    """Four tokens, three places: a third token drawn from the wrong row passes place one and fails jointly."""
    generator = np.random.default_rng(5)
    table = generator.normal(size=(4, 4))
    model = TableModel(table)
    sampling = Sampling(temperature=1.0)

    def right(prefix: tuple[int, ...]) -> list[float]:
        row: list[float] = model.law(table[prefix[-1] if prefix else 0], sampling).tolist()
        return row

    def wrong(prefix: tuple[int, ...]) -> list[float]:
        return right(prefix if len(prefix) < 2 else prefix[:-1])

    exact, planted = joint_law(right, 3), joint_law(wrong, 3)
    counts = generator.multinomial(6000, list(planted.values())).reshape(4, 4, 4)
    assert len(exact) == 64
    assert chi_square(counts.sum((1, 2)), right(())).verdict(0.001) == "passed"
    assert chi_square(counts.ravel(), list(exact.values())).verdict(0.001) == "failed"


def test_total_variation() -> None:
    """Known values, both ends, and the shapes it refuses."""
    assert total_variation([0.5, 0.5], [4 / 7, 3 / 7]) == pytest.approx(1 / 14)
    assert total_variation([1.0, 0.0], [0.0, 1.0]) == 1
    assert total_variation([0.3, 0.7], [0.3, 0.7]) == 0
    with pytest.raises(InputError, match="one vocabulary"):
        total_variation([0.5, 0.5], [1.0])
    with pytest.raises(InputError, match="q adds up to"):
        total_variation([0.5, 0.5], [0.5, 0.4])


def test_holm_steps_down() -> None:
    """Each p-value is held against what is left of the family, and the first that stands ends it."""
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == (True, False, False, True)
    assert holm([0.02, 0.03, 0.04], 0.05) == (False, False, False)
    # Bonferroni would keep the second; Holm rejects both.
    assert holm([0.02, 0.04], 0.05) == (True, True)
    assert holm([], 0.05) == ()
    with pytest.raises(InputError, match="p-values"):
        holm([0.5, math.nan], 0.05)
    with pytest.raises(InputError, match="false_alarm"):
        holm([0.5], 0.0)
