"""How much of an iteration goes neither into drafting nor into the check, on the real pair.

Prints, fails nothing: `nox -s benchmark`. The goal is at most 1 % greedy, and 5 % sampled with top-k before top-p.
"""

from __future__ import annotations

from pathlib import Path

from speclab.backends.hf.clock import clock_for
from speclab.backends.hf.source import TorchSource
from speclab.decoding.generation import collect
from speclab.decoding.loop import speculative
from speclab.decoding.proposers.draft import DraftModel
from speclab.decoding.sampling import GREEDY, Sampling
from speclab.models.load import load_pair
from speclab.prompts.encode import encode
from speclab.prompts.read import read_prompts
from speclab.records.plans import find_plan

ROOT = Path(__file__).parents[2]
NEW_TOKENS = 64
PROMPT_FILES = ("prose.toml", "code.toml")
SAMPLINGS = {
    "greedy": GREEDY,
    "sampled, top-k 50, top-p .9": Sampling(1.0, top_k=50, top_p=0.9),
    "sampled, no cut": Sampling(1.0),
}


def main() -> None:
    """Generate with each sampling on one prompt of each kind, and print the shares."""
    pair = load_pair(find_plan("quick", ROOT).plan.pair)
    clock = clock_for("cpu")
    prompts = [encode(read_prompts(ROOT / "research/prompts" / name)[0], pair.tokenizer) for name in PROMPT_FILES]
    for name, sampling in SAMPLINGS.items():
        spent = [
            step.spent()
            for prompt in prompts
            for step in collect(
                speculative(
                    pair.target.model.fork(),
                    DraftModel(pair.draft.model.fork()),
                    prompt,
                    k=4,
                    sampling=sampling,
                    source=TorchSource(0),
                    max_new_tokens=NEW_TOKENS,
                    clock=clock,
                )
            ).complete
        ]
        total = sum(each.total for each in spent)
        parts = {
            part: sum(getattr(each, part) for each in spent) / total for part in ("draft", "verify", "overhead")
        }
        shares = ", ".join(f"{part} {share:.2%}" for part, share in parts.items())
        print(f"{name}: {len(spent)} iterations of {total / len(spent) / 1e6:.0f} ms: {shares}")


if __name__ == "__main__":
    main()
