"""Addresses to values: each class, its source, its text, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from small_repository import claim, new_run, small_repository
from speclab.errors import InputError
from speclab.evidence.adopt import adopt
from speclab.evidence.register import Register
from speclab.theory.cost import break_even_alpha

if TYPE_CHECKING:
    from pathlib import Path

COMPUTED = """
[[computed]]
id = "even"
says = "break-even"
formula = "break_even_alpha"
inputs = { k = 4, cost_ratio = "c", verify_ratio = "v" }
format = ".2f"

[[computed]]
id = "worth"
says = "what remains of the gain"
formula = "difference"
inputs = { of = "speed.low", less = "given.least.gain" }
format = ".2f"

[[computed]]
id = "weights"
says = "both"
formula = "total"
inputs = { first = "big", second = "big" }
format = ".1f GB"
"""


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Register:
    """One with a run of the plan `quick` adopted; nothing changes it."""
    root = small_repository(
        tmp_path_factory.mktemp("register"),
        claim("c", "cost_ratio"),
        claim("v", "verify_ratio", "n = 5"),
        claim("speed", "speedup", "k = 2", ".2f"),
        claim("speed.code", "speedup", 'k = 2, kind = "code"'),
        claim("big", "weight_bytes", 'model = "target"', ".1f GB"),
        COMPUTED,
    )
    new_run(root, "quick-1")
    adopt("quick-1", root)
    return Register(root)


def test_a_measured_value_leads_back_to_its_run(register: Register) -> None:
    """With interval, n and class."""
    value = register.value("speed")
    assert (value.value_class, value.run, value.plan) == ("measured", "quick-1", "quick")
    assert (value.source, value.says, value.n, value.of) == (
        "research/register.toml, speed",
        "what speed is",
        6,
        "prompts",
    )
    assert value.low is not None
    assert value.high is not None
    assert register.show("speed") == f"{value.number():.2f}"
    assert register.show("speed.low") == f"{value.low:.2f}"
    assert register.show("speed.high") == f"{value.high:.2f}"
    assert register.show("speed.n") == "6"
    assert value.interval() == f"{value.low:.2f} to {value.high:.2f}"


def test_model_configuration_is_given_and_not_measured(register: Register) -> None:
    """The class comes with the estimate."""
    assert register.value("big").value_class == "given"
    assert register.show("big") == "3.6\u00a0GB"


def test_a_computed_value_names_formula_inputs_and_follows_them(register: Register) -> None:
    """Bound, so that it moves with the run; arithmetic keeps the unit."""
    value = register.value("even")
    expected = break_even_alpha(4, cost_ratio=register.number("c"), verify_ratio=register.number("v"))
    assert (value.value, value.value_class, value.inputs) == (expected, "computed", ("c", "v"))
    assert register.number("worth") == pytest.approx(register.number("speed.low") - 1.1)
    assert register.show("weights") == "7.1\u00a0GB"


def test_reported_figures_are_shown_as_printed(register: Register) -> None:
    """Trailing zeros and all; never rounded again."""
    value = register.value("reported.speed.prose.k6")
    assert (value.show(), value.value, value.value_class) == ("0.770", 0.77, "reported")
    assert value.source == "research/published/others.toml, speed.prose.k6"
    assert value.reason == "a chapter by others"
    assert register.show("reported.speed.best") == "at k of 2"
    assert register.show("reported.others.speed.prose.k4") == "0.94"


def test_given_numbers_carry_their_reason(register: Register) -> None:
    """From given.toml."""
    value = register.value("given.least.gain")
    assert (value.show(), value.value_class, value.reason) == ("1.1", "given", "below it nobody would notice")


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("plan.main.new_tokens", "32"),
        ("plan.quick.speed.rounds", "1"),
        ("plan.main.ks", "1, 2 and 4"),
        ("plan.main.prompts", "6"),
        ("plan.main.draws", "200,000"),
        ("plan.main.false_alarm", "0.001"),
        ("plan.main.dtype", "bfloat16"),
    ],
)
def test_what_the_plan_lays_down(register: Register, address: str, text: str) -> None:
    """Read from the run that is shown."""
    value = register.value(address)
    assert (value.show(), value.value_class, value.run) == (text, "given", "quick-1")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("sped", "unknown id sped: research/register.toml has no claim of that id"),
        ("sped.low", "unknown id sped"),
        ("speed.code.low", r"speed.code has no low: 1 prompt; an interval needs at least 3"),
        ("even.high", "even has no high: computed from the values"),
        ("given.nothing", "no given.nothing in research/given.toml; it has: given.least.gain"),
        ("plan.main", "unknown id plan.main"),
        ("plan.main.newtokens", "nothing that the plan quick lays down; there are: name, says, pair"),
        ("plan.main.speed", "nothing that the plan quick lays down; there are: ks, rounds, new_tokens"),
        ("plan.gpu.ks", "no plan 'gpu'"),
        ("reported.speed.verse.k6", "nothing of that name was reported; reported.speed holds: prose, best, ks"),
        ("reported.speed.prose", "is not one figure; it holds: k4, k6"),
        ("reported.speed.ks", "is not one figure; it holds: a list"),
        ("reported", "unknown id reported"),
    ],
)
def test_refused(register: Register, address: str, says: str) -> None:
    """With what there is instead."""
    with pytest.raises(InputError, match=says):
        register.show(address)


def test_a_figure_that_two_files_report_needs_the_file(tmp_path: Path) -> None:
    """Guessing between sources would be citing neither."""
    root = small_repository(tmp_path)
    published = root / "research" / "published"
    (published / "more.toml").write_text("[speed]\nprose = { k6 = 1.0 }\n", encoding="utf-8")
    register = Register(root)
    with pytest.raises(InputError, match="several files answer: more, others"):
        register.show("reported.speed.prose.k6")
    assert register.show("reported.more.speed.prose.k6") == "1.0"


def test_without_a_run_every_claim_says_how_to_get_one(tmp_path: Path) -> None:
    """And the plan's own file answers for what it lays down."""
    register = Register(small_repository(tmp_path, claim("c", "cost_ratio")))
    with pytest.raises(InputError, match="no run of any plan is adopted: make one with `speclab evidence run`"):
        register.show("c")
    with pytest.raises(InputError, match="no plan is main yet"):
        register.show("plan.main.new_tokens")
    assert register.show("plan.quick.new_tokens") == "32"


def test_a_claim_may_name_its_plan(tmp_path: Path) -> None:
    """Then it does not follow the main one."""
    register = Register(small_repository(tmp_path, claim("c", "cost_ratio", plan="exercises")))
    with pytest.raises(InputError, match="no run of the plan exercises is adopted"):
        register.show("c")


def test_computed_values_cannot_follow_from_themselves(tmp_path: Path) -> None:
    """Named as a chain."""
    text = COMPUTED.replace('"c"', '"worth"').replace('"speed.low"', '"even"')
    register = Register(small_repository(tmp_path, text))
    with pytest.raises(InputError, match="even -> worth -> even: a computed value follows from itself"):
        register.value("even")


def test_a_formula_without_a_result_says_why(tmp_path: Path) -> None:
    """A draft slower than its target has no break-even."""
    root = small_repository(tmp_path, claim("c", "cost_ratio"), claim("v", "verify_ratio", "n = 5"), COMPUTED)
    new_run(root, "slow-1", slow=4)
    adopt("slow-1", root)
    register = Register(root)
    with pytest.raises(InputError, match="even has no value: an iteration costs at least k"):
        register.show("even")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("register.toml", "[[claim]\n", "register.toml is not TOML"),
        ("register.toml", "[[clam]]\nid = 'x'\n", "register.toml holds 'clam'"),
        ("register.toml", "[[claim]]\nsays = 'x'\n", r"a \[\[claim\]\] has no id"),
        ("register.toml", None, "register.toml is missing"),
        ("current.toml", "[runs]\nquick = '../etc'\n", "current.toml: runs.quick"),
        ("current.toml", "main = 'cpu'\n[runs]\n", "main = 'cpu', and that plan has no run"),
        ("current.toml", "extra = 1\n", "current.toml: extra"),
        (
            "given.toml",
            "[[given]]\nid = 'x'\nsays = 's'\nvalue = 1\nformat = '.1f'\n",
            "given.toml:2: given.x: reason",
        ),
        ("given.toml", "[[given]]\nid = 'x'\nsays = 's'\nvalue = 1\nformat = 'f'\nreason = 'r'\n", "format 'f'"),
        ("published/others.toml", "x = [\n", "others.toml is not TOML"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    """One line with the file."""
    root = small_repository(tmp_path)
    path = root / "research" / name
    if text is None:
        path.unlink()
    else:
        path.write_text(text.replace("'", '"'), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        Register(root)


def test_a_given_number_twice_is_refused(tmp_path: Path) -> None:
    """Which of the two would be cited?"""
    root = small_repository(tmp_path)
    path = root / "research" / "given.toml"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(InputError, match=r"given\.least\.gain is there twice"):
        Register(root)
