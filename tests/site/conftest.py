"""One build of the real pages, shared by the tests that look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from small_site import Built, build, copy_site


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Built from the root of the disk, in a folder whose name holds a space and a letter beyond ASCII."""
    root = copy_site(tmp_path_factory.mktemp("site") / "a é", nasty=True)
    return Built(root, build(root, cwd=Path(root.anchor)))
