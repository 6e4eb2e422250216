/** @import { Tour, TourStep } from './types.d.ts' */
import { finder, put } from './dom.js';
import { checkTask, drawTask, goThere, noteLesson } from './tour_lesson.js';
import { areMarksDismissed, dismissMarks, storedTour, storeTour } from './tour_memory.js';
import { findTarget, placeStep } from './tour_target.js';

/** @type {WeakMap<ShadowRoot, Tour>} */
const tours = new WeakMap();

const MISSING_SHARE = 3; // of its time that a step waits for a target that does not come
const LEAST_MS = 2500; // that a step is shown with what it points at, where its page was slow

/** @param {Tour['component']} component */
export default function (component) {
  const root = component.parentElement;
  const tour = tours.get(root) ?? open(root, component);
  tour.component = component;
  start(tour);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) forget(tour); };
}

/** @param {ShadowRoot} root @param {Tour['component']} component */
function open(root, component) {
  const $ = finder(root);
  /** @type {Tour} */
  const tour = {
    root, $, component, steps: [], at: 0, mark: 0, leads: false, shownStep: '', target: null, targetSince: 0, lookedAt: 0,
    scrolled: false, focusedBefore: null, frame: 0, choiceIndex: null, checkedAt: 0, requestedLesson: '',
    keys: event => hearKey(tour, event), wheel: () => { tour.scrolled = true; }, redraw: () => { show(tour, tour.steps, tour.at, tour.leads); },
  };
  tours.set(root, tour);
  addEventListener('keydown', tour.keys, true);
  for (const kind of ['wheel', 'touchmove']) addEventListener(kind, tour.wheel, { passive: true });
  $('.next').addEventListener('click', () => { if (storedTour()?.plays && tour.leads) pause(tour); else go(tour, 1); });
  $('.back').addEventListener('click', () => go(tour, -1));
  $('.end').addEventListener('click', () => end(tour));
  $('.there').addEventListener('click', () => goThere(tour, findTarget(tour.steps[tour.at].target)));
  return tour;
}

/** @param {Tour} tour */
function forget(tour) {
  removeEventListener('keydown', tour.keys, true);
  for (const kind of ['wheel', 'touchmove']) removeEventListener(kind, tour.wheel);
  cancelAnimationFrame(tour.frame);
  tours.delete(tour.root);
}

/**
 * What is to be shown: the tour or the lesson that is under way, else the marks of a first visit, else nothing.
 * @param {Tour} tour
 */
function start(tour) {
  const { data } = tour.component;
  if (data.token && storedTour()?.token !== data.token) storeTour({ token: data.token, lesson: data.lesson, at: 0, plays: data.plays, passed: [] });
  const at = storedTour()?.at ?? null, lesson = storedTour()?.lesson ?? '';
  if (at !== null && lesson !== data.lesson) { // the page was loaded again
    if (tour.requestedLesson !== lesson) tour.component.setTriggerValue('open', { lesson, at: null });
    tour.requestedLesson = lesson;
    return;
  }
  if (at !== null && at < data.steps.length) show(tour, data.steps, at, true);
  else if (data.marks.length && !areMarksDismissed()) show(tour, data.marks, tour.mark, false);
  else hide(tour);
}

/** @param {Tour} tour @param {TourStep[]} steps @param {number} at @param {boolean} leads */
function show(tour, steps, at, leads) {
  Object.assign(tour, { steps, at, leads });
  const { $, component } = tour, { data } = component, step = steps[at], plays = leads && Boolean(storedTour()?.plays);
  const lesson = leads && data.lesson;
  put($('.place'), `${leads ? data.heading : 'First visit'} · ${at + 1} of ${steps.length}${plays ? ' · runs by itself' : lesson ? ' · Alt L' : leads ? ' · ← → Esc' : ''}`);
  put($('.title'), step.title);
  put($('.text'), step.text);
  put($('.next'), plays ? 'Pause' : at + 1 < steps.length ? 'Next' : data.following && lesson ? `Next: ${data.following.title}` : 'Done');
  put($('.end'), lesson ? 'End the lesson' : leads ? 'End the tour' : 'Dismiss');
  $('.back').hidden = at === 0 || plays;
  $('.time').hidden = !plays;
  $('.card').classList.toggle('lesson', Boolean(lesson));
  const name = `${leads}${data.lesson}${at}${data.page}`, isNew = tour.shownStep !== name;
  if (isNew) tour.choiceIndex = null;
  drawTask(tour, isNew);
  if (!isNew) return;
  if (!tour.shownStep) tour.focusedBefore = document.activeElement;
  tour.shownStep = name;
  Object.assign(tour, { target: null, scrolled: false });
  for (const part of ['.ring', '.card']) if (!$(part).matches(':popover-open')) $(part).showPopover();
  $('.ring').classList.toggle('spot', leads && !lesson);
  if (leads) $('.card').focus({ preventScroll: true });
  cancelAnimationFrame(tour.frame);
  follow(tour);
}

/** @param {Tour} tour */
function hide(tour) {
  cancelAnimationFrame(tour.frame);
  if (!tour.shownStep) return;
  tour.shownStep = '';
  for (const part of ['.ring', '.card']) tour.$(part).hidePopover();
  if (tour.focusedBefore instanceof HTMLElement) tour.focusedBefore.focus({ preventScroll: true });
}

/** @param {Tour} tour @param {number} by */
function go(tour, by) {
  const { steps, leads, component } = tour, at = tour.at + by;
  if (at < 0) return;
  if (at >= steps.length) { finish(tour); return; }
  if (leads) storeTour({ at });
  else tour.mark = at;
  const { page, opens } = steps[at], { lesson } = component.data;
  show(tour, steps, at, leads);
  if (leads && (page !== component.data.page || opens && by > 0)) component.setTriggerValue('open', { lesson, at });
}

/**
 * After the last step: of a lesson the one that follows, where there is one.
 * @param {Tour} tour
 */
function finish(tour) {
  const { lesson, following } = tour.component.data;
  if (tour.leads && lesson) noteLesson(tour);
  if (!tour.leads || !lesson || !following) { end(tour); return; }
  storeTour({ lesson: following.name, at: 0, passed: [] });
  tour.component.setTriggerValue('open', { lesson: following.name, at: 0 });
}

/**
 * From here on the person leads.
 * @param {Tour} tour
 */
function pause(tour) {
  storeTour({ plays: false });
  show(tour, tour.steps, tour.at, true);
}

/** @param {Tour} tour */
function end(tour) {
  if (tour.leads) storeTour({ at: null });
  // who was led through everything needs no marks
  dismissMarks();
  hide(tour);
}

/** @param {Tour} tour @param {KeyboardEvent} event */
function hearKey(tour, event) {
  if (!tour.shownStep || event.ctrlKey || event.metaKey) return;
  if (event.altKey && event.code === 'KeyL' && tour.leads && tour.component.data.lesson) {
    tour.$('.card').focus();
    event.preventDefault();
    return;
  }
  if (event.altKey) return;
  // a lesson is done on the page, whose own keys it leaves alone
  const leads = tour.leads && !tour.component.data.lesson;
  const inCard = event.composedPath().includes(tour.$('.card'));
  const typing = event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, table, [role=tablist], [contenteditable=true]'));
  if (event.key === 'Escape' && (leads || inCard)) end(tour);
  else if (event.key === 'ArrowRight' && (leads ? !typing : inCard)) goByHand(tour, 1);
  else if (event.key === 'ArrowLeft' && (leads ? !typing : inCard)) goByHand(tour, -1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * Go on by hand, which also ends the running by itself.
 * @param {Tour} tour
 * @param {number} by
 */
function goByHand(tour, by) {
  if (tour.leads) storeTour({ plays: false });
  go(tour, by);
}

/**
 * The page is drawn in parts and moves: where the target is, is looked at in every frame while a step is shown.
 * @param {Tour} tour
 */
function follow(tour) {
  tour.frame = requestAnimationFrame(() => follow(tour));
  placeStep(tour);
  play(tour);
  checkTask(tour);
}

/**
 * Where the tour runs by itself: go on when the time of a step is over.
 * @param {Tour} tour
 */
function play(tour) {
  const state = storedTour(), now = Date.now();
  if (!tour.leads || !state?.plays) return;
  const time = 1000 * tour.steps[tour.at].seconds, share = (now - state.since) / time;
  tour.$('.time i').style.transform = `scaleX(${Math.min(1, share)})`;
  if (share >= (tour.target ? 1 : MISSING_SHARE) && now - tour.targetSince >= LEAST_MS) go(tour, 1);
}
