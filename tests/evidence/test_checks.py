"""Planted faults: each is named with its file and id, and nothing else is."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from small_repository import claim, new_run, small_repository
from speclab.evidence.adopt import adopt, discard
from speclab.evidence.checks import broken_holds, check
from speclab.evidence.register import Register

if TYPE_CHECKING:
    from pathlib import Path

SOUND = claim("c", "cost_ratio", holds="value < 1")


def _adopted(root: Path, *entries: str) -> Path:
    small_repository(root, *entries)
    new_run(root, "quick-1")
    adopt("quick-1", root)
    return root


def test_a_sound_repository_has_no_faults(tmp_path: Path) -> None:
    """With a superseded and a discarded run beside the current one."""
    root = _adopted(tmp_path, SOUND)
    new_run(root, "quick-2", seed=1)
    adopt("quick-2", root)
    discard("quick-1", "the window was open", root)
    assert check(root) == []


COMPUTED = '[[computed]]\nid = "x"\nsays = "s"\nformula = "{}"\ninputs = {}\nformat = ".2f"\n'


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (claim("x", "sped", "k = 2"), "x: unknown estimate 'sped'"),
        (claim("x", "speedup", "k = 2, colour = 1"), "x: estimate speedup has no condition 'colour'"),
        (claim("x", "speedup", 'k = "2"'), "x: estimate speedup: k = '2'"),
        (claim("x", "speedup", "k = 3"), "x: the block of prompt prose-1, round 0, has no k = 3"),
        (claim("x", "speedup", 'k = 2, kind = "verse"'), "x: run quick-1 holds no block of kind 'verse'"),
        (claim("x", "speedup", "k = 2", ".2f GB"), "x: format '.2f GB'"),
        (claim("x", "speedup", "k = 2", "2 decimals"), "x: format '2 decimals'"),
        (claim("x", "speedup", "k = 2", holds="low >> 1"), "x: holds = 'low >> 1' is not a condition"),
        (claim("x", "speedup", "k = 2", holds="value > 9"), "x: `value > 9` no longer holds"),
        (claim("x", "speedup", "k = 2", holds="value < c"), "x: `value < c` no longer holds"),
        (claim("x", "speedup", "k = 2", holds="value > y"), "x: unknown id y"),
        (claim("x", "speedup", 'k = 2, kind = "code"', holds="low > 0"), "x: `low > 0` cannot hold"),
        (claim("x", "speedup", "k = 2", plan="gpu"), "x: no run of the plan gpu is adopted"),
        (claim("x", "speedup", "k = 2", colour="red"), "x: colour: Extra inputs are not permitted"),
        (claim("x", "speedup", "k = 2").replace("says", "said"), "x: says: Field required"),
        (claim("x", "changed_outputs", "", ".0f"), "x: x has no value: every configuration ran once"),
        (claim("X", "speedup", "k = 2"), "X: id: an id is lower-case words"),
        (claim("given.x", "speedup", "k = 2"), "given.x: id: an id begins with none of"),
        (claim("x.low", "speedup", "k = 2"), "x.low: id: an id begins with none of"),
        (claim("c", "cost_ratio"), "c: this id is there twice"),
        (COMPUTED.format("divide", "{ of = 'c', by = 'c' }"), "x: unknown formula 'divide'"),
        (COMPUTED.format("quotient", "{ of = 'c' }"), "x: formula quotient: missing a required argument: 'by'"),
        (
            COMPUTED.format("quotient", "{ of = 'c', by = 0.5 }"),
            "x: inputs.by.str: Input should be a valid string",
        ),
        (COMPUTED.format("quotient", "{ of = 'c', by = 'y' }"), "x: unknown id y"),
        (COMPUTED.format("quotient", "{ of = 'c', by = 0 }"), "x: the divisor is 0"),
    ],
)
def test_a_faulty_entry_is_named_with_file_line_and_id(tmp_path: Path, entry: str, fault: str) -> None:
    """And it hides none of the others."""
    root = _adopted(tmp_path, SOUND, entry)
    found = check(root)
    assert len(found) == 1
    assert fault in found[0]
    assert found[0].startswith("research/register.toml:")


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (claim("x", "speedup", "k = 2, colour = 1"), "x: estimate speedup has no condition 'colour'"),
        (claim("x", "speedup", "k = 2", holds="low >> 1"), "x: holds = 'low >> 1' is not a condition"),
        (COMPUTED.format("divide", "{ of = 'c', by = 'c' }"), "x: unknown formula 'divide'"),
    ],
)
def test_an_entry_can_be_faulty_before_there_is_a_run(tmp_path: Path, entry: str, fault: str) -> None:
    """What needs no rows is not put off until there are some."""
    (found, _) = check(small_repository(tmp_path, SOUND, entry))
    assert fault in found


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_one_edited_digit_of_the_results_is_found(tmp_path: Path) -> None:
    """By the digest in the record."""
    root = _adopted(tmp_path, SOUND)
    _edit(root / "research/runs/quick-1/results.json", '"place": 1', '"place": 2')
    found = check(root)
    assert "results.json is not what the run wrote (SHA-256" in found[0]
    assert any(each.startswith("research/register.toml:2: c: ") or ": c: " in each for each in found[1:])


def test_a_missing_run_is_named(tmp_path: Path) -> None:
    """In current.toml, which points at it, and by the first claim that rests on it."""
    root = _adopted(tmp_path, SOUND)
    shutil.rmtree(root / "research/runs/quick-1")
    found = check(root)
    assert found[0].startswith("research/current.toml: quick: there is no run at research/runs/quick-1")
    assert found[1].startswith("research/register.toml:4: c: there is no run")


def test_missing_results_are_named(tmp_path: Path) -> None:
    """The record alone is no run."""
    root = _adopted(tmp_path, SOUND)
    (root / "research/runs/quick-1/results.json").unlink()
    assert "research/runs/quick-1/results.json is missing" in check(root)[0]


def test_a_record_that_is_nested_without_end_is_named(tmp_path: Path) -> None:
    """No parser gets through it, and no traceback comes of it."""
    root = _adopted(tmp_path, SOUND)
    (root / "research/runs/quick-1/run.json").write_text("[" * 200_000, encoding="utf-8")
    assert any("run.json" in fault for fault in check(root))


def test_a_run_without_its_machine_is_named(tmp_path: Path) -> None:
    """In so many words."""
    root = _adopted(tmp_path, SOUND)
    path = root / "research/runs/quick-1/run.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["machine"]
    path.write_text(json.dumps(record), encoding="utf-8")
    assert check(root)[0].startswith("research/runs/quick-1: run.json has no record of the machine")


def test_a_claim_of_a_discarded_run_is_named(tmp_path: Path) -> None:
    """Where the register was edited by hand, past what `discard` refuses."""
    root = _adopted(tmp_path, SOUND)
    path = root / "research/register.toml"
    path.write_text(
        path.read_text(encoding="utf-8") + '[[discard]]\nrun = "quick-1"\nreason = "too hot"\n', encoding="utf-8"
    )
    found = check(root)
    assert "run quick-1 is discarded (too hot) and yet current for the plan quick" in found[0]
    assert "c: run quick-1 is discarded (too hot)" in found[1]


def test_a_discarded_run_is_kept(tmp_path: Path) -> None:
    """Its reason must stay open to question."""
    root = _adopted(tmp_path, SOUND)
    new_run(root, "quick-2")
    discard("quick-2", "too hot", root)
    shutil.rmtree(root / "research/runs/quick-2")
    (fault,) = check(root)
    assert "quick-2: the discarded run is missing from research/runs" in fault


def test_a_discarded_run_need_not_be_whole(tmp_path: Path) -> None:
    """It may have been discarded for that."""
    root = _adopted(tmp_path, SOUND)
    new_run(root, "quick-2")
    (root / "runs/quick-2/results.json").write_text("{", encoding="utf-8")
    discard("quick-2", "cut by a full disk", root)
    assert check(root) == []


def test_a_plan_that_shows_a_run_of_another_plan_is_named(tmp_path: Path) -> None:
    """Numbers of one plan are not those of another."""
    root = _adopted(tmp_path, SOUND)
    (root / "research/current.toml").write_text('main = "cpu"\n[runs]\ncpu = "quick-1"\n', encoding="utf-8")
    assert check(root) == ["research/current.toml: cpu: run quick-1 was made by the plan quick"]


def test_an_unfinished_run_among_the_kept_ones_is_named(tmp_path: Path) -> None:
    """It belongs into runs/."""
    root = _adopted(tmp_path, SOUND)
    new_run(root, "quick-2", status="interrupted")
    (root / "runs/quick-2").rename(root / "research/runs/quick-2")
    assert check(root) == [
        "research/runs/quick-2: the run is interrupted; discard it, or finish it in runs/",
    ]


def test_what_keeps_all_claims_from_a_value_is_said_once(tmp_path: Path) -> None:
    """Not once a claim."""
    root = small_repository(tmp_path, SOUND, claim("v", "verify_ratio", "n = 5"))
    (fault,) = check(root)
    assert "no run of any plan is adopted" in fault


def test_an_empty_register_is_sound_and_a_broken_one_is_one_fault(tmp_path: Path) -> None:
    """Nothing cited, nothing wrong; but a file that is no register is."""
    root = small_repository(tmp_path)
    assert check(root) == []
    (root / "research/register.toml").write_bytes(b"\xff\xfe")
    (fault,) = check(root)
    assert fault.startswith("research/register.toml is not TOML in UTF-8")


def test_a_second_run_renumbers_and_breaks_what_no_longer_holds(tmp_path: Path) -> None:
    """The draft became three times slower: numbers follow, and wording that leaned on the old ones is named."""
    root = _adopted(
        tmp_path,
        claim("speed", "speedup", "k = 4", holds="low > 1"),
        claim("alpha", "alpha", "k = 4", holds="value between 0.8 and 0.95"),
        claim("c", "cost_ratio", holds="value < speed"),
    )
    before = {each: Register(root).show(each) for each in ("speed", "alpha", "c")}
    assert check(root) == []
    new_run(root, "quick-2", slow=3.0, seed=2)
    adopt("quick-2", root)
    register = Register(root)
    after = {each: register.show(each) for each in ("speed", "alpha", "c")}
    assert after["speed"] < "1" < before["speed"]
    assert float(after["c"]) == pytest.approx(3 * float(before["c"]), rel=0.03)
    assert after["alpha"] != before["alpha"]
    assert register.value("speed").run == "quick-2"
    speed, c = check(root)
    assert "speed: `low > 1` no longer holds: low is 0.5" in speed
    assert "c: `value < speed` no longer holds: value is 1.1" in c
    assert broken_holds(register, "alpha") is None
