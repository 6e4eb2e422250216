// What a step of a lesson asks for: something that is done on the page, which shows when it is, or the answer to a question.

/** @import { LessonChoice, Tour } from './types.d.ts' */
import { all, element, put } from './dom.js';
import { rememberLesson, storedTour, storeTour } from './tour_memory.js';
import { findTarget } from './tour_target.js';

const CHECK_MS = 250;
const FOCUSABLE = 'a[href], button:not([disabled], [tabindex="-1"]), input:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

/** @param {Tour} tour */
const isPassed = tour => storedTour()?.passed.includes(tour.at) ?? false;

/**
 * @param {Tour} tour
 * @param {boolean} isNew - whether the step was not shown before
 */
export function drawTask(tour, isNew) {
  const { $, steps, at, leads, component } = tour, step = steps[at], lesson = leads && Boolean(component.data.lesson);
  $('.choices').hidden = !step.choices.length;
  $('.there').hidden = !lesson || !step.done;
  $('.said').hidden = !lesson;
  $('.more').hidden = !lesson || at + 1 < steps.length;
  if (!lesson) return;
  $('.more a').setAttribute('href', component.data.chapter);
  if (isNew) $('.choices').replaceChildren(...step.choices.map((choice, i) => choiceButton(tour, choice, i)));
  const choice = tour.choiceIndex === null ? null : step.choices[tour.choiceIndex], right = choice !== null && isRight(choice);
  all($('.choices'), 'button').forEach((button, i) => {
    button.setAttribute('aria-pressed', String(i === tour.choiceIndex));
    button.dataset.answer = i !== tour.choiceIndex ? '' : right ? 'right' : 'wrong';
  });
  const passed = isPassed(tour);
  put($('.said'), choice ? `${right ? '✓ Right.' : '✗ Not quite.'} ${choice.why}` : passed && step.done ? `✓ Done. ${step.after}` : '');
  $('.next').classList.toggle('waits', !passed);
  if (!passed) put($('.next'), 'Skip');
}

/** @param {Tour} tour @param {LessonChoice} choice @param {number} i */
function choiceButton(tour, choice, i) {
  const button = element('button', 'choice', choice.text, { type: 'button' });
  button.addEventListener('click', () => {
    tour.choiceIndex = i;
    if (isRight(choice)) pass(tour);
    tour.redraw();
  });
  return button;
}

/** @param {LessonChoice} choice */
const isRight = ({ right }) => right === 'always' || Boolean(right) && isThere(right);

/**
 * Whether the page shows what a selector of tour.py is about, or its address has a parameter.
 * @param {string} selector
 */
function isThere(selector) {
  if (!selector.startsWith('?')) return Boolean(findTarget(selector));
  const parameters = new URLSearchParams(location.search);
  return [...new URLSearchParams(selector)].every(([name, value]) => parameters.get(name) === value);
}

/**
 * Look whether what the step asks for was done.
 * @param {Tour} tour
 */
export function checkTask(tour) {
  const step = tour.steps[tour.at], now = Date.now();
  if (!tour.leads || !step.done || now - tour.checkedAt < CHECK_MS) return;
  tour.checkedAt = now;
  if (isPassed(tour) || step.page !== tour.component.data.page || !isThere(step.done)) return;
  pass(tour);
  tour.redraw();
}

/** @param {Tour} tour */
function pass(tour) {
  if (!isPassed(tour)) storeTour({ passed: [...storedTour()?.passed ?? [], tour.at] });
}

/**
 * Put the focus where the step is done.
 * @param {Tour} tour
 * @param {Element | undefined} target
 */
export function goThere(tour, target) {
  if (!target) return;
  tour.scrolled = false;
  const inside = target.matches(FOCUSABLE) ? target : target.querySelector(FOCUSABLE);
  target.scrollIntoView({ block: 'start', behavior: 'instant' });
  if (inside instanceof HTMLElement) inside.focus();
}

/**
 * Remember a lesson of which nothing was skipped.
 * @param {Tour} tour
 */
export function noteLesson(tour) {
  const { lesson } = tour.component.data, passed = storedTour()?.passed ?? [];
  if (tour.steps.every((_, at) => passed.includes(at))) rememberLesson(lesson);
}
