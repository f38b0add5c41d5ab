"""What a run says of the code that it executed."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from speclab.errors import InputError
from speclab.experiments.home import command_line, with_home, without_home
from speclab.experiments.overrides import Overrides
from speclab.experiments.sources import Sources

LOOP = "src/speclab/decoding/loop.py"
FILES = {
    "experiments/runner.py": "from speclab.decoding import loop\nfrom speclab.theory.some import law\n",
    "decoding/loop.py": "# decoding\n",
    "theory/some.py": "law = 1\n",
    "theory/other.py": "# imported by nobody\n",
    "cli/some.py": "",
    "records/some.py": "",
}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a small package and a plan, all committed."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    for name, text in FILES.items():
        path = tmp_path / "src" / "speclab" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "src/speclab/decoding/__pycache__").mkdir()
    (tmp_path / "src/speclab/decoding/__pycache__/loop.cpython-311.pyc").write_bytes(b"x")
    plan = tmp_path / "research" / "plans" / "quick.toml"
    plan.parent.mkdir(parents=True)
    plan.write_text('name = "quick"\n', encoding="utf-8")
    (tmp_path / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "all")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def take(clone: Path, *more: Path) -> Sources:
    files = [clone / "research/plans/quick.toml", *more]
    return Sources.take(clone, files, ["experiments.runner"], clone / "src/speclab")


def test_digests_of_what_a_number_can_depend_on(clone: Path) -> None:
    """What the runner imports, and the inputs; not the command line, the records, or what nobody imports."""
    sources = take(clone)
    assert set(sources.digests) == {
        "research/plans/quick.toml",
        *(f"src/speclab/{name}" for name in ("experiments/runner.py", "decoding/loop.py", "theory/some.py")),
    }
    assert sources.digests[LOOP] == hashlib.sha256(b"# decoding\n").hexdigest()
    assert "research/plans/quick.toml" in sources.digests
    assert sources.commit.value == git(clone, "rev-parse", "HEAD")
    assert sources.dirty.value is False


@pytest.mark.parametrize(
    ("path", "dirty"),
    [
        (LOOP, True),
        ("src/speclab/theory/some.py", True),
        ("src/speclab/theory/other.py", False),
        ("research/plans/quick.toml", True),
        ("src/speclab/cli/some.py", False),
        ("README.md", False),
    ],
)
def test_dirty_means_what_was_executed(clone: Path, path: str, dirty: bool) -> None:
    """A changed file that is executed makes the state dirty; one beside it does not."""
    (clone / path).write_text("# other\n", encoding="utf-8")
    assert take(clone).dirty.value is dirty


def test_a_new_module_that_is_executed_is_dirty(clone: Path) -> None:
    """It departs from the commit although nothing that was there changed but the import."""
    (clone / "src/speclab/theory/new.py").write_text("", encoding="utf-8")
    assert take(clone).dirty.value is False
    (clone / "src/speclab/theory/some.py").write_text("from speclab.theory import new\n", encoding="utf-8")
    sources = take(clone)
    assert sources.dirty.value is True
    assert "src/speclab/theory/new.py" in sources.digests


def test_without_git_the_reason_stands_there(tmp_path: Path, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No repository, no git, and a package from elsewhere each have their reason."""
    elsewhere = Sources.take(clone, [], [], Path(__file__).parent)
    assert elsewhere.commit.reason == "the package that ran does not lie in the repository of the plan"
    (clone / ".git").rename(tmp_path / "away")
    assert take(clone).commit.reason == "there is no git repository here that git will read"
    assert take(clone).dirty.value is None
    monkeypatch.setenv("PATH", "")
    assert take(clone).commit.reason == "git is not installed"


def test_a_hook_s_variables_do_not_lead_astray(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's own variables of another repository are not followed."""
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert take(clone).commit.value is not None


def test_input_from_elsewhere_is_named_alone(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where a person keeps a file is not published."""
    other = tmp_path_factory.mktemp("private") / "some.jsonl"
    other.write_text("{}\n", encoding="utf-8")
    assert take(clone, other).digests["some.jsonl"]


def test_same_sources(clone: Path) -> None:
    """One changed, new or removed file or package is named, and others are counted."""
    sources = take(clone)
    sources.require_same(sources.digests, sources.packages)
    with pytest.raises(InputError, match=r"the file src/speclab/decoding/loop\.py changed"):
        sources.require_same(sources.digests | {LOOP: "0"}, sources.packages)
    without = {path: digest for path, digest in sources.digests.items() if path != LOOP}
    with pytest.raises(InputError, match=r"loop\.py and 1 more changed"):
        sources.require_same(without | {"z.py": "0"}, sources.packages)
    with pytest.raises(InputError, match="the package numpy changed"):
        sources.require_same(sources.digests, sources.packages | {"numpy": "0"})


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("/home/ann", "~"),
        ("/home/ann/models/x", "~/models/x"),
        ("cannot read '/home/ann/x' or /home/ann/y", "cannot read '~/x' or ~/y"),
        ("--out=/home/ann/x", "--out=~/x"),
        ("/home/anne/x", "/home/anne/x"),
        ("/srv/home/ann/x", "/srv/home/ann/x"),
        ("/home/ann.old/x", "/home/ann.old/x"),
    ],
)
def test_home_is_a_tilde(text: str, published: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it stands, and nothing that only looks like it."""
    monkeypatch.setenv("HOME", "/home/ann")
    assert without_home(text) == published
    if published.startswith("~"):
        assert with_home(published) == text


def test_home_that_is_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some containers have it there; then nothing is hidden and nothing broken."""
    monkeypatch.setenv("HOME", "/")
    assert without_home("/work/x") == "/work/x"


def test_command_line_can_be_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quoted for a shell, which expands the home folder itself."""
    monkeypatch.setenv("HOME", "/home/ann")
    typed = ["/opt/venv/bin/speclab", "speed", "--prompts", "/home/ann/my file.jsonl", "--k", "1,2", "a;b"]
    assert command_line(typed) == "speclab speed --prompts ~/'my file.jsonl' --k 1,2 'a;b'"
    expanded = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {command_line(typed)}"],
        check=True,
        capture_output=True,
        text=True,
        env={"HOME": "/home/ann", "PATH": "/usr/bin:/bin"},
    )
    assert expanded.stdout.splitlines() == ["speclab", *typed[1:]]


def test_overrides_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run records is what it was asked for."""
    monkeypatch.setenv("HOME", "/home/ann")
    asked = Overrides(
        target="/home/ann/m",
        draft="d",
        dtype="float32",
        device="cpu",
        ks=(3, 1),
        new_tokens=9,
        prompts=Path("/home/ann/p.jsonl"),
    )
    assert list(asked) == [
        "--target ~/m",
        "--draft d",
        "--dtype float32",
        "--device cpu",
        "--k 3,1",
        "--new-tokens 9",
        "--prompts ~/p.jsonl",
    ]
    assert Overrides.recorded(list(asked)) == asked
    assert Overrides.recorded([]) == Overrides()
    assert not list(Overrides())
