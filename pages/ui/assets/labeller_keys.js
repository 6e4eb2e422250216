// Keys and swipes; keys that come while there is nothing to press wait for it.

/** @import { Key, Question, View } from './types.d.ts' */
import { choices, open_ones } from './labeller_answers.js';
import { NAMED, press } from './labeller_presses.js';
import { activate, choose, drop, mark } from './labeller_questions.js';
import { leave, look, receiver, walk } from './labeller_texts.js';
import { inDialog } from './labeller_view.js';

const MOST_KEYS = 200;

/** @param {Event} event */
const typing = event => event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, [contenteditable=true]'));

/** @param {View} view @param {KeyboardEvent} event */
export function key(view, event) {
  if (event.key === 'Escape' && !view.$('.why').hidden) { view.$('.why').hidden = true; return; }
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || inDialog()) return;
  const at = event.composedPath()[0];
  if (['Enter', ' '].includes(event.key) && at instanceof Element && at.matches('button, a, summary, [role=tab], [role=option], [role=radio]')) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (waiting(view)) hold(view, event);
  else if (heard(view, event, name, at)) event.preventDefault();
  else return;
  if (at instanceof HTMLElement && !view.$('.labeller').contains(at)) at.blur();  // a button that opened a dialog has focus again, and would take the next Enter
}

/** @param {View} view @param {Key} event @param {string} name @param {EventTarget} at */
function heard(view, event, name, at) {
  const asked = open_ones(view), arrow = /^Arrow/.test(name), text = at instanceof HTMLElement && at.dataset.of ? at : null;
  if (arrow && text) {
    const marks = receiver(view, text) !== undefined;
    if (marks) walk(view, text, event);
    return marks;
  }
  if (name === 'ArrowUp' || name === 'ArrowDown') { step(view, asked, name === 'ArrowDown' ? 1 : -1); return true; }
  if (event.repeat) return false;
  if (name === 'Escape' && text) { leave(view); return true; }
  if (/^[0-9]$/.test(name)) return number(view, asked[view.active], (Number(name) + 9) % 10);
  if (name === 'd' || name === 'w') { look(view, name === 'd' ? 'document' : 'summary'); return true; }
  if (name === 't') { write(view, asked); return true; }
  if (name === 'm' || (name === 'Enter' && text && view.pick)) { mark(view); return true; }
  if (name === 'Enter') { press(view, 'save'); return true; }
  if (name in NAMED) { press(view, NAMED[name]); return true; }
  return false;
}

/** @param {View} view @param {Question[]} asked @param {number} by */
function step(view, asked, by) {
  activate(view, Math.max(0, Math.min(asked.length - 1, view.active + by)));
  view.root.querySelector('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

/** @param {View} view @param {Question|undefined} question @param {number} i */
function number(view, question, i) {
  if (question && ['span', 'link'].includes(question.kind)) { drop(view, question, i); return true; }
  const choice = question && choices(question)[i];
  if (!choice) return false;
  choose(view, question, choice.value, view.active);
  const asked = open_ones(view), next = asked[view.active];
  if (next?.kind === 'text' && next.required && !view.answers[next.id]) write(view, asked);  // nothing else can come next
  return true;
}

/** @param {View} view @param {Question[]} asked */
function write(view, asked) {
  const at = asked.findIndex((question, i) => i >= view.active && ['text', 'edit'].includes(question.kind));
  view.$('.questions').children[at]?.querySelector('textarea')?.focus();
}

/** @param {View} view */
const waiting = view => Boolean(view.pending) || view.held || view.keys.length > 0;

/** @param {View} view @param {KeyboardEvent} event */
function hold(view, event) {
  const { key, shiftKey } = event;
  event.preventDefault();
  if ((key.length === 1 || /^(Enter|Escape|Arrow)/.test(key)) && view.keys.length < MOST_KEYS) view.keys.push({ key, shiftKey });
}

/**
 * What was typed while there was nothing to press; a page that says something is read first.
 * @param {View} view
 */
export function replay(view) {
  if (['feedback', 'revealed'].includes(view.mode) || view.$('.problem').textContent) view.keys = [];
  while (!view.pending && !view.held) {
    const next = view.keys.shift();
    if (!next) return;
    type(view, next);
  }
}

/** @param {View} view @param {Key} held */
function type(view, { key, shiftKey }) {
  const at = view.root.activeElement ?? view.$('.labeller');
  if (!(at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement)) {
    heard(view, { key, shiftKey }, key.length === 1 ? key.toLowerCase() : key, at);
    return;
  }
  if (key === 'Enter' && at.form?.matches('.why')) { at.form.requestSubmit(); return; }
  if (key === 'Escape') { at.dispatchEvent(new KeyboardEvent('keydown', { key })); return; }
  at.setRangeText(key === 'Enter' ? '\n' : key, at.selectionStart ?? 0, at.selectionEnd ?? 0, 'end');
  at.dispatchEvent(new Event('input', { bubbles: true }));
}

// A swipe turns to another item and never answers one: to the right the last one, to the left on from one that was answered.
const SWIPE_PX = 70, SWIPE_MS = 700, EDGE_PX = 24, SLOPE = 2;  // at an edge the browser has swipes of its own

/** @param {View} view @param {TouchEvent} event */
export function swipe_from(view, { touches, target, timeStamp }) {
  const [{ clientX: x, clientY: y }] = touches, at_edge = Math.min(x, innerWidth - x) < EDGE_PX;
  const taken = touches.length > 1 || at_edge || !(target instanceof Element) || target.closest('textarea, input') || scrolls(target, view.$('.labeller'));
  view.swipe = taken ? null : { x, y, timeStamp };
}

/** @param {Element|null} node @param {Element} top @returns {boolean} */
function scrolls(node, top) {
  return node !== null && node !== top && (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible' || scrolls(node.parentElement, top));
}

/** @param {View} view @param {TouchEvent} event */
export function swipe_to(view, { changedTouches: [{ clientX, clientY }], timeStamp }) {
  const from = view.swipe;
  view.swipe = null;
  if (!from || timeStamp - from.timeStamp > SWIPE_MS || waiting(view) || inDialog() || !document.getSelection()?.isCollapsed) return;
  const [right, down] = [clientX - from.x, clientY - from.y];
  if (Math.abs(right) < SWIPE_PX || Math.abs(right) < SLOPE * Math.abs(down)) return;
  press(view, right > 0 ? 'previous' : 'next');
}
