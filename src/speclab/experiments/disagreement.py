"""Disagreement: where in the texts the two models differ most, and whether the rules can be told apart there.

A text is a prompt with what plain decoding made of it. One pass of each model over it gives both laws at every
position. Where they differ most the same three rules are drawn from and tested as in `distribution`.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from speclab.backends.table import law
from speclab.decoding.sampling import Sampling
from speclab.experiments.context import look_at, try_rules
from speclab.experiments.protocol import CellJob
from speclab.experiments.replay import numbers
from speclab.records.rows import DisagreementCell, DisagreementContext, SpeedCell
from speclab.theory.goodness import total_variation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclab.decoding.protocols import Rows
    from speclab.experiments.draws import Law
    from speclab.experiments.protocol import EncodedPrompt, Session
    from speclab.records.plan import DisagreementPlan, DistributionPlan


class Disagreement:
    """The experiment."""

    name = "disagreement"

    def cells(self, session: Session) -> Iterator[CellJob]:
        """One cell a prompt; none where the plan does not ask for them."""
        plan = session.plan.disagreement
        if plan is not None:
            for prompt in session.prompts:
                yield CellJob(f"disagreement.{prompt.id}", partial(_measure, session, prompt, plan))


def _measure(session: Session, prompt: EncodedPrompt, plan: DisagreementPlan) -> DisagreementCell:
    started = time.perf_counter_ns()
    text = (*prompt.ids, *_output(session, prompt))
    pair = (session.pair.target.model, session.pair.draft.model)
    room = min(model.context for model in pair)
    if len(text) > room:
        session.say(f"{prompt.id} is searched up to token {room} of {len(text)}: one of the models takes no more")
    # The rows stay as the models made them: all laws in float64 would take several times that.
    rows = [model.fork().feed(text[:room]) for model in pair]
    drawing = session.plan.distribution
    sampling = Sampling(temperature=drawing.temperature)
    variations = [total_variation(*_laws(rows, place, sampling)) for place in range(len(rows[0]))]
    # Of a text that is shorter than the least context, every position is looked at.
    first = plan.least_tokens - 1 if plan.least_tokens <= len(variations) else 0
    places = sorted(range(first, len(variations)), key=lambda place: -variations[place])
    largest = places[: plan.contexts_per_prompt]
    return DisagreementCell(
        prompt=prompt.id,
        kind=prompt.kind,
        prompt_tokens=len(prompt.ids),
        text_tokens=len(text),
        temperature=drawing.temperature,
        false_alarm=drawing.false_alarm,
        total_variations=tuple(variations),
        contexts=tuple(_test(prompt, place + 1, _laws(rows, place, sampling), drawing) for place in largest),
        nanoseconds=time.perf_counter_ns() - started,
    )


def _output(session: Session, prompt: EncodedPrompt) -> tuple[int, ...]:
    """What plain made of a prompt in the first block that was measured, greedy in most plans; or nothing."""
    blocks = (each for each in session.done.values() if isinstance(each, SpeedCell) and each.prompt == prompt.id)
    arms = (arm for block in blocks for arm in block.arms if arm.arm == "plain")
    return next((arm.ids for arm in arms), ())


def _laws(rows: Sequence[Rows], place: int, sampling: Sampling) -> tuple[Law, Law]:
    """Those of target and draft behind one token of the text, shape [vocabulary], float64."""
    target, draft = (law(numbers(each[place]), sampling) for each in rows)
    return target, draft


def _test(
    prompt: EncodedPrompt, position: int, laws: tuple[Law, Law], plan: DistributionPlan
) -> DisagreementContext:
    context = look_at(*laws, plan)
    # No prompt's id holds a slash, so no other experiment draws these numbers.
    tests = try_rules(context, plan, stream=f"disagreement/{prompt.id}/{position}")
    return DisagreementContext(position=position, total_variation=context.total_variation, tests=tests)
