"""Playback and sliders do what they say, by mouse and by keyboard, also after a walk through the pages."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from reading import reading
from speclab.theory.cost import (
    break_even_alpha,
    expected_tokens_per_iteration,
    iteration_cost,
    predicted_speedup,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
TIMES = 1000


def test_the_script_computes_what_the_package_does(browser: Browser, address: str) -> None:
    """On a thousand random inputs, to 1e-9; None and null alike."""
    chance = random.Random(5)
    inputs = [
        (chance.random(), chance.randint(1, 8), 1.5 * chance.random(), 0.2 + 8 * chance.random(), chance.random())
        for _ in range(TIMES)
    ]
    with reading(browser) as (page, _):
        page.goto(f"{address}chapter/pass.html")
        shown = page.evaluate(
            """(inputs) => inputs.map(([alpha, k, c, v, h]) => [
                speclab.tokens(alpha, k), speclab.cost(k, c, v, h),
                speclab.speedup(alpha, k, c, v, h), speclab.breakEven(k, c, v, h),
            ])""",
            inputs,
        )
    assert len(shown) == TIMES
    nowhere = 0
    for (alpha, k, c, v, h), (tokens, cost, gain, even) in zip(inputs, shown, strict=True):
        costs = {"cost_ratio": c, "verify_ratio": v, "overhead": h}
        assert tokens == pytest.approx(expected_tokens_per_iteration(alpha, k), abs=1e-9)
        assert cost == pytest.approx(iteration_cost(k, **costs), abs=1e-9)
        assert gain == pytest.approx(predicted_speedup(alpha, k, **costs), abs=1e-9)
        expected = break_even_alpha(k, **costs)
        nowhere += expected is None
        assert (even is None) == (expected is None)
        if expected is not None:
            assert even == pytest.approx(expected, abs=1e-9)
    assert 0 < nowhere < TIMES


def test_sliders_move_the_curve_and_the_numbers(browser: Browser, address: str) -> None:
    """A cheaper check raises the curve; another k shows other points, and its own check while none was chosen."""
    with reading(browser) as (page, wrong):
        page.goto(f"{address}chapter/pass.html")
        before = page.locator(".lab-sliders .curve").get_attribute("d")
        timed = page.locator("#cost-model-verify_ratio").input_value()
        _set(page, "k", "2")
        assert page.locator("#cost-model-verify_ratio").input_value() != timed
        shown = page.locator(".lab-sliders .point[data-k='2']").first
        assert shown.get_attribute("visibility") == "visible"
        assert page.locator(".lab-sliders .point[data-k='4']").first.get_attribute("visibility") == "hidden"
        _set(page, "verify_ratio", "1")
        _set(page, "alpha", "1")
        _set(page, "cost_ratio", "0")
        _set(page, "overhead", "0")
        assert page.locator("[data-result=speedup]").inner_text() == "3.00"
        assert page.locator("[data-result=even]").inner_text() == "0.00"
        _set(page, "k", "4")
        assert page.locator("#cost-model-verify_ratio").input_value() == "1"
        assert page.locator(".lab-sliders .curve").get_attribute("d") != before
        assert wrong == []


def test_playback_by_mouse_and_by_keyboard(browser: Browser, address: str) -> None:
    """Forward and back, an iteration at once, to both ends; nothing moves by itself."""
    with reading(browser) as (page, wrong):
        page.goto(f"{address}chapter/idea.html")
        section = page.locator(".lab-recording:not([hidden])")
        caption = section.locator(".lab-caption")
        clock = section.locator("[data-show=clock]")
        assert caption.inner_text().startswith("Before the first guess")
        page.wait_for_timeout(700)
        assert caption.inner_text().startswith("Before the first guess")
        section.get_by_role("button", name="Next", exact=True).click()
        assert "guess 1 of 4" in caption.inner_text()
        section.get_by_role("button", name="Back", exact=True).click()
        assert caption.inner_text().startswith("Before the first guess")
        section.locator(".lab-player").focus()
        page.keyboard.press("PageDown")
        assert "cut back" in caption.inner_text()
        first = int(clock.inner_text())
        assert first > 0
        written = section.locator(".lab-output > code:visible").count()
        assert written >= 1
        page.keyboard.press("End")
        assert int(clock.inner_text()) > first
        every = section.locator(".lab-output > code").count()
        assert section.locator(".lab-output > code:visible").count() == every
        page.keyboard.press("Home")
        assert section.locator(".lab-output > code:visible").count() == 0
        assert wrong == []


def test_each_kind_can_be_chosen(browser: Browser, address: str) -> None:
    """One at a time, said to those who do not see it."""
    with reading(browser) as (page, _):
        page.goto(f"{address}chapter/idea.html")
        for kind in ("code", "json", "prose"):
            button = page.locator(f".lab-choice button[data-kind={kind}]")
            button.click()
            assert button.get_attribute("aria-pressed") == "true"
            assert page.locator(".lab-recording:visible").get_attribute("data-kind") == kind


def test_a_walk_through_the_pages_breaks_nothing(browser: Browser, address: str) -> None:
    """Away and back again: formulas, figures, playback and sliders are alive."""
    with reading(browser, viewport={"width": 1280, "height": 900}) as (page, wrong):
        page.goto(f"{address}chapter/idea.html")
        for name in ("What a pass costs", "Measured speed", "Sampling: the same law", "The idea"):
            page.get_by_role("navigation").get_by_role("link", name=name).first.click()
            page.wait_for_load_state("networkidle")
        page.locator(".lab-recording:visible").get_by_role("button", name="Next", exact=True).click()
        assert "guess 1 of" in page.locator(".lab-recording:visible .lab-caption").inner_text()
        page.go_back()
        page.wait_for_load_state("networkidle")
        assert page.locator("math").first.is_visible()
        page.get_by_role("navigation").get_by_role("link", name="What a pass costs").first.click()
        page.wait_for_load_state("networkidle")
        _set(page, "alpha", "0.5")
        assert page.locator("output[data-input=alpha]").inner_text() == "0.5"
        assert page.locator(".lab-figure svg").first.is_visible()
        assert wrong == []


def _set(page: Page, name: str, value: str) -> None:
    page.locator(f"#cost-model-{name}").evaluate(
        """(input, value) => {
            input.value = value;
            input.dispatchEvent(new Event("input", {bubbles: true}));
        }""",
        value,
    )
