/** @import { Tour, TourStep } from './types.d.ts' */
import { finder, put } from './dom.js';

/** @type {WeakMap<ShadowRoot, Tour>} */
const tours = new WeakMap();

const TOUR = 'touchstone-tour'; // of this tab: the tour under way and its step, null once it ended
const MARKS = 'touchstone-coach-marks'; // of this browser: that they were dismissed
const MARGIN = 6, GAP = 12, EDGE = 12; // pixels around what is pointed at, to the card, to the edge of the window
const NARROW = 640; // below this the card lies at the bottom

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
    root, $, component, steps: [], at: 0, mark: 0, leads: false, shown: '', seen: null, before: null, frame: 0,
    keys: event => pressed(tour, event),
  };
  tours.set(root, tour);
  addEventListener('keydown', tour.keys, true);
  $('.next').addEventListener('click', () => go(tour, 1));
  $('.back').addEventListener('click', () => go(tour, -1));
  $('.end').addEventListener('click', () => end(tour));
  return tour;
}

/** @param {Tour} tour */
function forget(tour) {
  removeEventListener('keydown', tour.keys, true);
  cancelAnimationFrame(tour.frame);
  tours.delete(tour.root);
}

const stored = () => /** @type {{ token: string, at: number | null } | null} */ (JSON.parse(sessionStorage.getItem(TOUR) ?? 'null'));

/** @param {string|undefined} token @param {number|null} at */
function store(token, at) { sessionStorage.setItem(TOUR, JSON.stringify({ token, at })); }

/**
 * What is to be shown: the tour that is under way, else the marks of a first visit, else nothing.
 * @param {Tour} tour
 */
function start(tour) {
  const { data } = tour.component;
  if (data.token && stored()?.token !== data.token) store(data.token, 0);
  const at = stored()?.at ?? null;
  if (at !== null && at < data.steps.length) show(tour, data.steps, at, true);
  else if (data.marks.length && localStorage.getItem(MARKS) === null) show(tour, data.marks, tour.mark, false);
  else hide(tour);
}

/** @param {Tour} tour @param {TourStep[]} steps @param {number} at @param {boolean} leads */
function show(tour, steps, at, leads) {
  Object.assign(tour, { steps, at, leads });
  const { $, component } = tour, step = steps[at];
  put($('.place'), `${leads ? 'Tour' : 'First visit'} · ${at + 1} of ${steps.length}${leads ? ' · ← → Esc' : ''}`);
  put($('.title'), step.title);
  put($('.text'), step.text);
  put($('.next'), at + 1 < steps.length ? 'Next' : 'Done');
  put($('.end'), leads ? 'End the tour' : 'Dismiss');
  $('.back').hidden = at === 0;
  const name = `${leads}${at}${component.data.page}`;
  if (tour.shown === name) return;
  if (!tour.shown) tour.before = document.activeElement;
  tour.shown = name;
  tour.seen = null;
  for (const part of ['.ring', '.card']) if (!$(part).matches(':popover-open')) $(part).showPopover();
  $('.ring').classList.toggle('spot', leads);
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
  if (at >= steps.length) { end(tour); return; }
  if (leads) store(stored()?.token, at);
  else tour.mark = at;
  const { page } = steps[at];
  show(tour, steps, at, leads);
  if (page !== component.data.page) component.setTriggerValue('page', page);
}

/** @param {Tour} tour */
function end(tour) {
  if (tour.leads) store(stored()?.token, null);
  // who was led through everything needs no marks
  localStorage.setItem(MARKS, 'dismissed');
  hide(tour);
}

/** @param {Tour} tour @param {KeyboardEvent} event */
function pressed(tour, event) {
  if (!tour.shown || event.ctrlKey || event.altKey || event.metaKey) return;
  const inCard = event.composedPath().includes(tour.$('.card'));
  const typing = event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, table, [role=tablist], [contenteditable=true]'));
  if (event.key === 'Escape' && (tour.leads || inCard)) end(tour);
  else if (event.key === 'ArrowRight' && (tour.leads ? !typing : inCard)) go(tour, 1);
  else if (event.key === 'ArrowLeft' && (tour.leads ? !typing : inCard)) go(tour, -1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * The page is drawn in parts and moves: where the target is, is looked at in every frame while a step is shown.
 * @param {Tour} tour
 */
function follow(tour) {
  place(tour);
  tour.frame = requestAnimationFrame(() => follow(tour));
}

/** @param {Tour} tour */
function place(tour) {
  const step = tour.steps[tour.at], here = step.page === tour.component.data.page;
  const target = here ? find(step.target) : null;
  if (target && target !== tour.seen) { tour.seen = target; reveal(target); }
  const box = target?.getBoundingClientRect();
  const ring = tour.$('.ring');
  ring.style.visibility = box ? 'visible' : 'hidden';
  if (box) put4(ring, box.left - MARGIN, box.top - MARGIN, box.width + 2 * MARGIN, box.height + 2 * MARGIN);
  const [left, top] = spot(tour.$('.card').getBoundingClientRect(), box);
  put4(tour.$('.card'), left, top);
}

/** @param {string} path */
function find(path) {
  const [outside, inside] = path.split(' >>> ');
  const found = [...document.querySelectorAll(outside)].find(node => node.getClientRects().length);
  if (!found || !inside) return found;
  const host = [found, ...found.querySelectorAll('*')].find(node => node.shadowRoot?.querySelector(inside));
  const part = host?.shadowRoot?.querySelector(inside);
  return part?.getClientRects().length ? part : undefined;
}

/** @param {Element} target */
function reveal(target) {
  const tall = target.getBoundingClientRect().height > innerHeight / 2;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  target.scrollIntoView({ block: tall ? 'start' : 'center', inline: 'nearest', behavior: still ? 'instant' : 'smooth' });
}

/**
 * Below the target, above it, or beside it, wherever there is room; else in the corner.
 * @param {DOMRect} card
 * @param {DOMRect|undefined} box
 */
function spot(card, box) {
  const right = innerWidth - card.width - EDGE, bottom = innerHeight - card.height - EDGE;
  if (!box || innerWidth < NARROW) return [Math.max(EDGE, right), bottom];
  const left = Math.min(Math.max(EDGE, box.left), right), top = Math.min(Math.max(EDGE, box.top), bottom);
  const away = MARGIN + GAP;
  if (box.bottom + away <= bottom && box.bottom > 0) return [left, box.bottom + away];
  if (box.top - away - card.height >= EDGE && box.top < innerHeight) return [left, box.top - away - card.height];
  if (box.right + away <= right) return [box.right + away, top];
  if (box.left - away - card.width >= EDGE) return [box.left - away - card.width, top];
  return [right, bottom];
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
