"""What a run takes from the world: the models, and the device that they compute on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from speclab.errors import InputError
from speclab.models.catalogue import catalogue
from speclab.models.extras import LOADING, require
from speclab.models.fetch import fetch, fetched

if TYPE_CHECKING:
    from speclab.backends.device import DeviceState
    from speclab.models.load import LoadedPair
    from speclab.models.report import Report
    from speclab.records.plan import Device, Pair


class Bench(Protocol):
    """The models and the device. A simulated one takes their place in tests."""

    def missing(self, pair: Pair) -> tuple[str, ...]:
        """Models of the pair that have to be fetched first."""
        ...

    def fetch(self, name: str, report: Report) -> None:
        """Bring one of them."""
        ...

    def load(self, pair: Pair) -> LoadedPair:
        """Load a pair and read every weight once, so that it lies in memory."""
        ...

    def free(self, pair: LoadedPair) -> None:
        """Give back the memory of a pair's weights, whoever still refers to it."""
        ...

    def state(self, device: Device) -> DeviceState:
        """The device now."""
        ...


class RealBench:
    """The models of the catalogue, the hub and local files, on this machine."""

    def missing(self, pair: Pair) -> tuple[str, ...]:
        """Models of the catalogue that are not in the cache."""
        return tuple(name for name in (pair.target, pair.draft) if name in catalogue() and not fetched(name))

    def fetch(self, name: str, report: Report) -> None:
        """Bring a model of the catalogue."""
        fetch(name, report)

    def load(self, pair: Pair) -> LoadedPair:
        """Load a pair and read every weight once."""
        from speclab.backends.hf.device import touch  # noqa: PLC0415 - torch, which a plan is read without
        from speclab.models.load import load_pair  # noqa: PLC0415

        loaded = load_pair(pair)
        for each in (loaded.target, loaded.draft):
            touch(each.module)
        return loaded

    def free(self, pair: LoadedPair) -> None:
        """Give back the memory of both models' weights."""
        from speclab.backends.hf.device import release  # noqa: PLC0415 - torch

        for each in (pair.target, pair.draft):
            release(each.module)

    def state(self, device: Device) -> DeviceState:
        """The device as torch sees it now."""
        require(LOADING, "measuring a pair")
        from speclab.backends.hf.device import card_available, device_state  # noqa: PLC0415 - torch

        if device == "cuda" and not card_available():
            msg = (
                "there is no graphics card here that this build of torch can use: take a plan for the processor, "
                "`--device cpu`, or a build of torch with CUDA"
            )
            raise InputError(msg)
        return device_state(device)


def default_plan() -> str:
    """The plan for this machine: `gpu` where torch can use a graphics card, else `quick`."""
    require(LOADING, "measuring a pair")
    from speclab.backends.hf.device import card_available  # noqa: PLC0415 - torch

    return "gpu" if card_available() else "quick"
