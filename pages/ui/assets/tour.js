/** @import { StoredTour, Tour, TourStep } from './types.d.ts' */
import { finder, put } from './dom.js';
import { checkTask, drawTask, goThere, noteLesson } from './tour_lesson.js';

/** @type {WeakMap<ShadowRoot, Tour>} */
const tours = new WeakMap();

const TOUR = 'touchstone-tour'; // of this tab: the tour under way and its step, null once it ended
const MARKS = 'touchstone-coach-marks'; // of this browser: that they were dismissed
const MARGIN = 6, GAP = 12, EDGE = 12; // pixels around what is pointed at, to the card, to the edge of the window
const NARROW = 640; // below this the card lies at the bottom
const LOOK_MS = 200;
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
    root, $, component, steps: [], at: 0, mark: 0, leads: false, shown: '', seen: null, seenAt: 0, lookedAt: 0,
    scrolled: false, before: null, frame: 0, chosen: null, checkedAt: 0, asked: '',
    keys: event => pressed(tour, event), wheel: () => { tour.scrolled = true; }, redraw: () => { show(tour, tour.steps, tour.at, tour.leads); },
  };
  tours.set(root, tour);
  addEventListener('keydown', tour.keys, true);
  for (const kind of ['wheel', 'touchmove']) addEventListener(kind, tour.wheel, { passive: true });
  $('.next').addEventListener('click', () => { if (stored()?.plays && tour.leads) pause(tour); else go(tour, 1); });
  $('.back').addEventListener('click', () => go(tour, -1));
  $('.end').addEventListener('click', () => end(tour));
  $('.there').addEventListener('click', () => goThere(tour, find(tour.steps[tour.at].target)));
  return tour;
}

/** @param {Tour} tour */
function forget(tour) {
  removeEventListener('keydown', tour.keys, true);
  for (const kind of ['wheel', 'touchmove']) removeEventListener(kind, tour.wheel);
  cancelAnimationFrame(tour.frame);
  tours.delete(tour.root);
}

export const stored = () => /** @type {StoredTour | null} */ (JSON.parse(sessionStorage.getItem(TOUR) ?? 'null'));

/** @param {Partial<StoredTour>} change */
export function store(change) {
  const empty = { token: '', lesson: '', at: 0, plays: false, passed: [] };
  sessionStorage.setItem(TOUR, JSON.stringify({ ...empty, ...stored(), since: Date.now(), ...change }));
}

/**
 * What is to be shown: the tour or the lesson that is under way, else the marks of a first visit, else nothing.
 * @param {Tour} tour
 */
function start(tour) {
  const { data } = tour.component;
  if (data.token && stored()?.token !== data.token) store({ token: data.token, lesson: data.lesson, at: 0, plays: data.plays, passed: [] });
  const at = stored()?.at ?? null, lesson = stored()?.lesson ?? '';
  if (at !== null && lesson !== data.lesson) { // the page was loaded again
    if (tour.asked !== lesson) tour.component.setTriggerValue('open', { lesson, at: null });
    tour.asked = lesson;
    return;
  }
  if (at !== null && at < data.steps.length) show(tour, data.steps, at, true);
  else if (data.marks.length && localStorage.getItem(MARKS) === null) show(tour, data.marks, tour.mark, false);
  else hide(tour);
}

/** @param {Tour} tour @param {TourStep[]} steps @param {number} at @param {boolean} leads */
function show(tour, steps, at, leads) {
  Object.assign(tour, { steps, at, leads });
  const { $, component } = tour, { data } = component, step = steps[at], plays = leads && Boolean(stored()?.plays);
  const lesson = leads && data.lesson;
  put($('.place'), `${leads ? data.heading : 'First visit'} · ${at + 1} of ${steps.length}${plays ? ' · runs by itself' : lesson ? ' · Alt L' : leads ? ' · ← → Esc' : ''}`);
  put($('.title'), step.title);
  put($('.text'), step.text);
  put($('.next'), plays ? 'Pause' : at + 1 < steps.length ? 'Next' : data.following && lesson ? `Next: ${data.following.title}` : 'Done');
  put($('.end'), lesson ? 'End the lesson' : leads ? 'End the tour' : 'Dismiss');
  $('.back').hidden = at === 0 || plays;
  $('.time').hidden = !plays;
  $('.card').classList.toggle('lesson', Boolean(lesson));
  const name = `${leads}${data.lesson}${at}${data.page}`, isNew = tour.shown !== name;
  if (isNew) tour.chosen = null;
  drawTask(tour, isNew);
  if (!isNew) return;
  if (!tour.shown) tour.before = document.activeElement;
  tour.shown = name;
  Object.assign(tour, { seen: null, scrolled: false });
  for (const part of ['.ring', '.card']) if (!$(part).matches(':popover-open')) $(part).showPopover();
  $('.ring').classList.toggle('spot', leads && !lesson);
  if (leads) $('.card').focus({ preventScroll: true });
  cancelAnimationFrame(tour.frame);
  follow(tour);
}

/** @param {Tour} tour */
function hide(tour) {
  cancelAnimationFrame(tour.frame);
  if (!tour.shown) return;
  tour.shown = '';
  for (const part of ['.ring', '.card']) tour.$(part).hidePopover();
  if (tour.before instanceof HTMLElement) tour.before.focus({ preventScroll: true });
}

/** @param {Tour} tour @param {number} by */
function go(tour, by) {
  const { steps, leads, component } = tour, at = tour.at + by;
  if (at < 0) return;
  if (at >= steps.length) { finish(tour); return; }
  if (leads) store({ at });
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
  store({ lesson: following.name, at: 0, passed: [] });
  tour.component.setTriggerValue('open', { lesson: following.name, at: 0 });
}

/**
 * From here on the person leads.
 * @param {Tour} tour
 */
function pause(tour) {
  store({ plays: false });
  show(tour, tour.steps, tour.at, true);
}

/** @param {Tour} tour */
function end(tour) {
  if (tour.leads) store({ at: null });
  // who was led through everything needs no marks
  localStorage.setItem(MARKS, 'dismissed');
  hide(tour);
}

/** @param {Tour} tour @param {KeyboardEvent} event */
function pressed(tour, event) {
  if (!tour.shown || event.ctrlKey || event.metaKey) return;
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
  else if (event.key === 'ArrowRight' && (leads ? !typing : inCard)) step(tour, 1);
  else if (event.key === 'ArrowLeft' && (leads ? !typing : inCard)) step(tour, -1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * Go on by hand, which also ends the running by itself.
 * @param {Tour} tour
 * @param {number} by
 */
function step(tour, by) {
  if (tour.leads) store({ plays: false });
  go(tour, by);
}

/**
 * The page is drawn in parts and moves: where the target is, is looked at in every frame while a step is shown.
 * @param {Tour} tour
 */
function follow(tour) {
  tour.frame = requestAnimationFrame(() => follow(tour));
  place(tour);
  play(tour);
  checkTask(tour);
}

/** @param {Tour} tour */
function place(tour) {
  const wanted = tour.steps[tour.at], here = wanted.page === tour.component.data.page;
  const target = here ? find(wanted.target) : null;
  const now = Date.now();
  if (target && target !== tour.seen) Object.assign(tour, { seen: target, seenAt: now, lookedAt: 0 });
  // a page that still grows may take it away again, or under the panes that stay in view
  if (target && !tour.scrolled && now - tour.lookedAt > LOOK_MS) {
    tour.lookedAt = now;
    if (!isVisible(tour, target)) reveal(tour, target);
  }
  const box = target?.getBoundingClientRect();
  const ring = tour.$('.ring');
  ring.style.visibility = box ? 'visible' : 'hidden';
  if (box) put4(ring, box.left - MARGIN, box.top - MARGIN, box.width + 2 * MARGIN, box.height + 2 * MARGIN);
  const [left, top] = spot(tour.$('.card').getBoundingClientRect(), box, Boolean(wanted.done));
  put4(tour.$('.card'), left, top);
}

/** @param {string} path */
export function find(path) {
  if (!path) return undefined;
  const [outside, inside] = path.split(' >>> ');
  const found = [...document.querySelectorAll(outside)].find(node => node.getClientRects().length);
  if (!found || !inside) return found;
  const host = [found, ...found.querySelectorAll('*')].find(node => node.shadowRoot?.querySelector(inside));
  const part = host?.shadowRoot?.querySelector(inside);
  return part?.getClientRects().length ? part : undefined;
}

/**
 * Scroll to where nothing lies over the target.
 * @param {Tour} tour
 * @param {Element} target
 */
function reveal(tour, target) {
  const tall = target.getBoundingClientRect().height > innerHeight / 2;
  /** @type {ScrollLogicalPosition[]} */
  const blocks = tall ? ['start'] : innerWidth < NARROW ? ['center', 'start'] : ['center', 'start', 'end'];
  for (const block of blocks) {
    target.scrollIntoView({ block, inline: innerWidth < NARROW ? 'center' : 'nearest', behavior: 'instant' });
    if (isVisible(tour, target)) return;
  }
}

/**
 * Whether the target is what is seen at three heights of it, of a tall one at its top, and on a narrow screen not below the card.
 * @param {Tour} tour
 * @param {Element} target
 */
function isVisible(tour, target) {
  const { left, top, width, height } = target.getBoundingClientRect();
  const tall = height > innerHeight / 2, shares = tall ? [.02, .2] : [.1, .5, .9];
  if (innerWidth < NARROW && !tall && top + height > tour.$('.card').getBoundingClientRect().top) return false;
  const x = (Math.max(0, left) + Math.min(innerWidth, left + width)) / 2; // of a table, the middle of what is on the screen
  return shares.every(share => lies(tour, target, x, top + share * height));
}

/**
 * Whether the topmost element at this point, the tour's own apart, is the target or part of it.
 * @param {Tour} tour
 * @param {Element} target
 * @param {number} x
 * @param {number} y
 */
function lies(tour, target, x, y) {
  let node = document.elementsFromPoint(x, y).find(one => !one.contains(tour.root.host) && !tour.root.host.contains(one)) ?? null;
  while (node?.shadowRoot?.elementFromPoint(x, y)) {
    const inner = node.shadowRoot.elementFromPoint(x, y);
    if (inner === node) break;
    node = inner;
  }
  /** @type {Node | null} */
  let outer = node;
  while (outer && outer !== target) outer = outer instanceof ShadowRoot ? outer.host : outer.parentNode;
  return outer === target;
}

/**
 * Where the tour runs by itself: go on when the time of a step is over.
 * @param {Tour} tour
 */
function play(tour) {
  const state = stored(), now = Date.now();
  if (!tour.leads || !state?.plays) return;
  const time = 1000 * tour.steps[tour.at].seconds, share = (now - state.since) / time;
  tour.$('.time i').style.transform = `scaleX(${Math.min(1, share)})`;
  if (share >= (tour.seen ? 1 : MISSING_SHARE) && now - tour.seenAt >= LEAST_MS) go(tour, 1);
}

/**
 * Below the target, above it, or beside it, wherever there is room; else in the corner. Where something is to be done, below comes
 * last: there the lists of the target open.
 * @param {DOMRect} card
 * @param {DOMRect|undefined} box
 * @param {boolean} isDone - whether something is to be done in the target
 */
function spot(card, box, isDone) {
  const right = innerWidth - card.width - EDGE, bottom = innerHeight - card.height - EDGE;
  if (!box || innerWidth < NARROW) return [Math.max(EDGE, right), bottom];
  const left = Math.min(Math.max(EDGE, box.left), right), top = Math.min(Math.max(EDGE, box.top), bottom);
  const away = MARGIN + GAP;
  const below = box.bottom + away <= bottom && box.bottom > 0 ? [left, box.bottom + away] : null;
  if (below && !isDone) return below;
  if (box.top - away - card.height >= EDGE && box.top < innerHeight) return [left, box.top - away - card.height];
  if (box.right + away <= right) return [box.right + away, top];
  if (box.left - away - card.width >= EDGE) return [box.left - away - card.width, top];
  return below ?? [right, bottom];
}

/**
 * @param {HTMLElement} node
 * @param {number} left
 * @param {number} top
 * @param {number|undefined} [width]
 * @param {number|undefined} [height]
 */
function put4(node, left, top, width, height) {
  for (const [name, value] of Object.entries({ left, top, width, height })) {
    const wanted = value === undefined ? '' : `${Math.round(value)}px`;
    if (node.style.getPropertyValue(name) !== wanted) node.style.setProperty(name, wanted);
  }
}
