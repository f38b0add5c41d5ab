"""The models of a generation behind the protocol of the loop, and whether two of them fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speclab.errors import InputError

if TYPE_CHECKING:
    from speclab.decoding.protocols import Model


def loop_model(model: Any, vocabulary: int | None) -> Model:
    """The model itself where it keeps the loop's protocol; else a transformers model, wrapped.

    Raises:
        InputError: When it cannot be used, or has another vocabulary already.
    """
    if not hasattr(model, "feed"):
        from speclab.backends.hf.model import HFModel  # noqa: PLC0415 - needs torch, which a table does not

        return HFModel(model, vocabulary=vocabulary)
    wrapped: Model = model
    if vocabulary not in {None, wrapped.vocabulary}:
        msg = f"vocabulary is {vocabulary}, and the model given has {wrapped.vocabulary} ids already: leave it out"
        raise InputError(msg)
    return wrapped


def require_pair(target: Model, draft: Model) -> None:
    """Check that two models share their ids and their device.

    Raises:
        InputError: Naming what differs.
    """
    if target.vocabulary != draft.vocabulary:
        msg = (
            f"the target has {target.vocabulary} token ids and the draft {draft.vocabulary}: where the rest is "
            "padding, give vocabulary= the number of real ones (the length of the tokenizer)"
        )
        raise InputError(msg)
    if hasattr(target, "device") != hasattr(draft, "device"):
        msg = "one model is a transformers model and the other a table: both must be of one kind"
        raise InputError(msg)
    devices = [getattr(model, "device", None) for model in (target, draft)]
    if devices[0] != devices[1]:
        msg = f"the target is on {devices[0]} and the draft on {devices[1]}: move them to one device"
        raise InputError(msg)
