/* What readers can operate: playback of recorded generations, and the cost model with sliders. Nothing moves by itself,
   nothing is fetched. All texts stand in the page; this script hides, shows and counts. */
"use strict";

const speclab = {
  /** Tokens that an iteration commits on average: 1 + alpha + … + alpha^k. */
  tokens(alpha, k) {
    let tokens = 1;
    for (let place = 0; place < k; place += 1) tokens = tokens * alpha + 1;
    return tokens;
  },

  /** Steps of plain decoding that an iteration costs. */
  cost(k, costRatio, verifyRatio, overhead) {
    return k * costRatio + verifyRatio + overhead;
  },

  speedup(alpha, k, costRatio, verifyRatio, overhead) {
    return speclab.tokens(alpha, k) / speclab.cost(k, costRatio, verifyRatio, overhead);
  },

  /** The acceptance rate from which guessing pays: 0 where any does, null where none does. */
  breakEven(k, costRatio, verifyRatio, overhead) {
    const cost = speclab.cost(k, costRatio, verifyRatio, overhead);
    if (cost <= 1) return 0;
    if (cost >= k + 1) return null;
    let low = 0;
    let high = 1;
    for (let halving = 0; halving < 60; halving += 1) {
      const middle = (low + high) / 2;
      if (speclab.tokens(middle, k) < cost) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  },
};

function numbers(text) {
  return text.split(";").map((each) => each.split(" ").map(Number));
}

/* Playback */

function startPlayback(root) {
  const sections = [...root.querySelectorAll(".lab-recording")];
  const choice = root.querySelector(".lab-choice");
  const buttons = [...choice.querySelectorAll("button")];
  const show = (kind) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
    for (const section of sections) section.hidden = section.dataset.kind !== kind;
  };
  for (const section of sections) startRecording(section);
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.kind));
  choice.hidden = sections.length < 2;
  show(sections[0].dataset.kind);
}

function startRecording(section) {
  const moments = numbers(section.dataset.moments).map(
    ([iteration, phase, guesses, written, target, draft, clock, plain]) => (
      { iteration, phase, guesses, written, target, draft, clock, plain }
    ),
  );
  const player = section.querySelector(".lab-player");
  const output = [...section.querySelectorAll(".lab-output > code")];
  const iterations = [...section.querySelectorAll(".lab-guesses")];
  const caption = section.querySelector(".lab-caption");
  const last = moments.length - 1;
  const longest = {};
  for (const name of ["target", "draft"]) longest[name] = Math.max(...moments.map((each) => each[name]));
  longest.clock = longest.plain = Math.max(moments[last].clock, moments[last].plain);
  let at = 0;

  const draw = () => {
    const now = moments[at];
    output.forEach((token, place) => { token.hidden = place >= now.written; });
    iterations.forEach((line, place) => {
      line.hidden = place !== now.iteration || now.phase === 0;
      if (line.hidden) return;
      [...line.querySelectorAll("[data-guess]")].forEach((guess, number) => {
        guess.hidden = number >= now.guesses;
        guess.classList.toggle("decided", now.phase >= 2);
      });
      const own = line.querySelector("[data-own]");
      if (own) own.hidden = now.phase < 2;
    });
    for (const name of ["target", "draft", "clock", "plain"]) {
      section.querySelector(`[data-show="${name}"]`).textContent = now[name].toFixed(0);
      const meter = section.querySelector(`[data-meter="${name}"]`);
      meter.max = longest[name];
      meter.value = now[name];
    }
    caption.textContent = said(now, iterations);
    for (const button of section.querySelectorAll("[data-go]")) {
      const ended = ["start", "back"].includes(button.dataset.go) ? at === 0 : at === last;
      button.setAttribute("aria-disabled", String(ended));
    }
  };

  const go = {
    start: () => 0,
    back: () => Math.max(0, at - 1),
    next: () => Math.min(last, at + 1),
    iteration: () => {
      const next = moments.findIndex((each, place) => place > at && each.phase === 3);
      return next < 0 ? last : next;
    },
    end: () => last,
  };
  const keys = { ArrowLeft: "back", ArrowRight: "next", PageDown: "iteration", Home: "start", End: "end" };
  const move = (where) => {
    at = go[where]();
    draw();
  };
  for (const button of section.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => move(button.dataset.go));
  }
  player.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(keys[event.key]);
  });
  player.hidden = false;
  section.querySelector("details").open = false;
  draw();
}

function said(now, iterations) {
  if (now.phase === 0) return "Before the first guess: the prompt is in both caches, but for its last token.";
  const line = iterations[now.iteration];
  const guesses = [...line.querySelectorAll("[data-guess]")];
  const kept = guesses.filter((each) => each.dataset.guess === "kept").length;
  const own = line.querySelector("[data-own]");
  const number = `Iteration ${now.iteration + 1}`;
  if (now.phase === 1) {
    return `${number}: the draft makes guess ${now.guesses} of ${guesses.length}, ${guesses[now.guesses - 1].textContent}.`;
  }
  const names = { bonus: "its bonus", correction: "its correction", step: "its next token" };
  const added = own ? `; the target adds ${names[own.dataset.own]}, ${own.textContent}` : "";
  if (now.phase === 2) {
    return guesses.length
      ? `${number}: one pass of the target checks them all. ${kept} of ${guesses.length} stand${added}.`
      : `${number}: no guess, a step of the target${added}.`;
  }
  return `${number}: both caches are cut back to the text that stands, but for its last token.`;
}

/* The cost model */

function startSliders(root) {
  const checks = new Map(numbers(root.dataset.checks));
  const drawing = root.querySelector("svg");
  const [left, below, width, height, highest, steps] = numbers(drawing.dataset.frame)[0];
  const input = (name) => root.querySelector(`input[data-input="${name}"]`);
  const value = (name) => Number(input(name).value);
  const x = (alpha) => left + alpha * (width - left - 8);
  const y = (gain) => height - below - (Math.min(gain, highest) / highest) * (height - below - 8);
  let moved = false;

  const draw = () => {
    const k = value("k");
    const costs = [value("cost_ratio"), value("verify_ratio"), value("overhead")];
    const alpha = value("alpha");
    for (const name of ["alpha", "k", "cost_ratio", "verify_ratio", "overhead"]) {
      root.querySelector(`output[data-input="${name}"]`).textContent = String(Number(value(name).toPrecision(3)));
    }
    let path = "";
    for (let place = 0; place <= steps; place += 1) {
      const rate = place / steps;
      path += `${place ? "L" : "M"}${x(rate).toFixed(1)} ${y(speclab.speedup(rate, k, ...costs)).toFixed(1)} `;
    }
    drawing.querySelector(".curve").setAttribute("d", path);
    for (const point of drawing.querySelectorAll(".point")) {
      point.setAttribute("visibility", Number(point.dataset.k) === k ? "visible" : "hidden");
    }
    const gain = speclab.speedup(alpha, k, ...costs);
    const here = drawing.querySelector(".here");
    here.setAttribute("cx", x(alpha).toFixed(1));
    here.setAttribute("cy", y(gain).toFixed(1));
    here.setAttribute("visibility", "visible");
    const even = speclab.breakEven(k, ...costs);
    const shown = {
      tokens: speclab.tokens(alpha, k).toFixed(2),
      cost: speclab.cost(k, ...costs).toFixed(2),
      speedup: gain.toFixed(2),
      even: even === null ? "none" : even.toFixed(2),
    };
    for (const [name, text] of Object.entries(shown)) {
      root.querySelector(`[data-result="${name}"]`).textContent = text;
    }
  };

  input("verify_ratio").addEventListener("input", () => { moved = true; });
  input("k").addEventListener("input", () => {
    const timed = checks.get(value("k"));
    if (!moved && timed !== undefined) input("verify_ratio").value = String(timed);
  });
  for (const each of root.querySelectorAll("input[type=range]")) each.addEventListener("input", draw);
  root.querySelector(".lab-inputs").hidden = false;
  draw();
}

/* Start once on each page, also where pages are swapped without loading. */

function start() {
  for (const [css, begin] of [[".lab-playback", startPlayback], [".lab-sliders", startSliders]]) {
    for (const root of document.querySelectorAll(css)) {
      if (root.dataset.started) continue;
      root.dataset.started = "yes";
      begin(root);
    }
  }
}

window.speclab = speclab;
if (window.document$) window.document$.subscribe(start);
else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
