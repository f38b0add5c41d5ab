"""`speclab demo`."""

import json
import subprocess
import sys

import pytest

from speclab.backends import words
from speclab.cli.demo import walk_through
from speclab.cli.main import main


@pytest.mark.parametrize("k", range(17))
def test_demo_equals_plain_decoding(k: int) -> None:
    """The output is the same at every k; only the number of passes changes."""
    run = walk_through(k)
    assert run.equal
    assert len(run.speculative.ids) == len(run.plain.ids) == 24
    assert len(run.speculative.iterations) < 24 or k == 0


def test_demo_shows_both_kinds_of_iteration() -> None:
    """Some blocks stand whole, some are corrected, and the draft's cache lags by one after a whole one."""
    steps = walk_through(4).steps
    whole = [step for step in steps if step["own"].startswith("bonus")]
    corrected = [step for step in steps if step["own"].startswith("correction")]
    assert whole
    assert corrected
    assert all(step["draft_cache"] == step["target_cache"] - 1 for step in whole)
    assert all(step["draft_cache"] == step["target_cache"] for step in corrected)


def test_draft_disagrees_with_target() -> None:
    """The little draft is wrong-headed after exactly three words."""
    target = words.target().feed(range(len(words.WORDS))).argmax(-1)
    draft = words.draft().feed(range(len(words.WORDS))).argmax(-1)
    assert (target != draft).sum() == 3


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one document and nothing else on stdout."""
    with pytest.raises(SystemExit) as end:
        main(["demo", "--k", "2", "--json"])
    assert end.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["k"] == 2
    assert document["equal_to_plain"] is True
    assert document["plain_passes"] == 24


def test_demo_needs_no_torch() -> None:
    """The demo, and the package itself, load neither torch nor transformers."""
    code = (
        "import sys, speclab\nfrom speclab.cli.main import main\n"
        "try:\n    main(['demo'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
