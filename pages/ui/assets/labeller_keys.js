// Keys and swipes; keys that come while there is nothing to press wait for it.

/** @import { Key, Question, View } from './types.d.ts' */
import { choices, openQuestions } from './labeller_answers.js';
import { findNextOfSummary, goToParagraph, openFind } from './labeller_find.js';
import { ACT_KEYS, press } from './labeller_presses.js';
import { activate, choose, dropPassage, markPassage } from './labeller_questions.js';
import { focusText, leaveText, movePick, questionFor } from './labeller_texts.js';
import { isDialogOpen } from './labeller_view.js';

const MOST_KEYS = 200;

/** @param {Event} event */
const isTyping = event => event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, [contenteditable=true]'));

/** @param {View} view @param {KeyboardEvent} event */
export function hearKey(view, event) {
  if (event.key === 'Escape' && !view.$('.why').hidden) { view.$('.why').hidden = true; return; }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isDialogOpen()) return;
  const at = event.composedPath()[0];
  if (['Enter', ' '].includes(event.key) && at instanceof Element && at.matches('button, a, summary, [role=tab], [role=option], [role=radio]')) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (isWaiting(view)) holdKey(view, event);
  else if (handleKey(view, event, name, at)) event.preventDefault();
  else return;
  if (at instanceof HTMLElement && !view.$('.labeller').contains(at)) at.blur();  // a button that opened a dialog has focus again, and would take the next Enter
}

/** @param {View} view @param {Key} event @param {string} name @param {EventTarget} at */
function handleKey(view, event, name, at) {
  const questions = openQuestions(view), arrow = /^Arrow/.test(name), text = at instanceof HTMLElement && at.dataset.of ? at : null;
  if (arrow && text) {
    const isMarkable = questionFor(view, text) !== undefined;
    if (isMarkable) movePick(view, text, event);
    return isMarkable;
  }
  if (name === 'ArrowUp' || name === 'ArrowDown') { moveActive(view, questions, name === 'ArrowDown' ? 1 : -1); return true; }
  if (event.repeat) return false;
  if (name === 'Escape' && text) { leaveText(view); return true; }
  if (/^[0-9]$/.test(name)) return markCategory(view, text, (Number(name) + 9) % 10) || pressNumber(view, questions[view.active], (Number(name) + 9) % 10);
  if (name === 'd' || name === 'w') { focusText(view, name === 'd' ? 'document' : 'summary'); return true; }
  if (name === '/') { openFind(view); return true; }
  if (name === 'j') { findNextOfSummary(view); return true; }
  if (name === ',' || name === '.') { goToParagraph(view, name === '.' ? 1 : -1); return true; }
  if (name === 't') { focusTextBox(view, questions); return true; }
  if (name === 'm' || (name === 'Enter' && text && view.pick)) { markPassage(view); return true; }
  if (name === 'Enter') { press(view, 'save'); return true; }
  if (name in ACT_KEYS) { press(view, ACT_KEYS[name]); return true; }
  return false;
}

/** @param {View} view @param {Question[]} questions @param {number} by */
function moveActive(view, questions, by) {
  activate(view, Math.max(0, Math.min(questions.length - 1, view.active + by)));
  view.root.querySelector('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

/**
 * Words that are chosen in a text get the category of the number.
 * @param {View} view
 * @param {HTMLElement|null} text
 * @param {number} i
 */
function markCategory(view, text, i) {
  const question = view.pick && questionFor(view, view.pick.pane), selection = view.root.getSelection ? view.root.getSelection() : document.getSelection();
  const option = question?.kind === 'span' ? question.options[i] : undefined;
  if (!option || !(text || (selection && !selection.isCollapsed))) return false;
  markPassage(view, option.value);
  return true;
}

/** @param {View} view @param {Question|undefined} question @param {number} i */
function pressNumber(view, question, i) {
  if (question && ['span', 'link'].includes(question.kind) && question.options.length) return false;
  if (question && ['span', 'link'].includes(question.kind)) { dropPassage(view, question, i); return true; }
  const choice = question && choices(question)[i];
  if (!choice) return false;
  choose(view, question, choice.value, view.active);
  const questions = openQuestions(view), next = questions[view.active];
  if (next?.kind === 'text' && next.required && !view.answers[next.id]) focusTextBox(view, questions);  // nothing else can come next
  return true;
}

/** @param {View} view @param {Question[]} questions */
function focusTextBox(view, questions) {
  const at = questions.findIndex((question, i) => i >= view.active && ['text', 'edit'].includes(question.kind));
  view.$('.questions').children[at]?.querySelector('textarea')?.focus();
}

/** @param {View} view */
const isWaiting = view => Boolean(view.pending) || view.awaitsReceipt || view.heldKeys.length > 0;

/** @param {View} view @param {KeyboardEvent} event */
function holdKey(view, event) {
  const { key, shiftKey } = event;
  event.preventDefault();
  if ((key.length === 1 || /^(Enter|Escape|Arrow)/.test(key)) && view.heldKeys.length < MOST_KEYS) view.heldKeys.push({ key, shiftKey });
}

/**
 * What was typed while there was nothing to press; a page that says something is read first.
 * @param {View} view
 */
export function replayKeys(view) {
  if (['feedback', 'revealed'].includes(view.mode) || view.$('.problem').textContent) view.heldKeys = [];
  while (!view.pending && !view.awaitsReceipt) {
    const next = view.heldKeys.shift();
    if (!next) return;
    typeKey(view, next);
  }
}

/** @param {View} view @param {Key} held */
function typeKey(view, { key, shiftKey }) {
  const at = view.root.activeElement ?? view.$('.labeller');
  if (!(at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement)) {
    handleKey(view, { key, shiftKey }, key.length === 1 ? key.toLowerCase() : key, at);
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
export function startSwipe(view, { touches, target, timeStamp }) {
  const [{ clientX: x, clientY: y }] = touches, isAtEdge = Math.min(x, innerWidth - x) < EDGE_PX;
  const isIgnored = touches.length > 1 || isAtEdge || !(target instanceof Element) || target.closest('textarea, input') || isScrollable(target, view.$('.labeller'));
  view.swipe = isIgnored ? null : { x, y, timeStamp };
}

/** @param {Element|null} node @param {Element} top @returns {boolean} */
function isScrollable(node, top) {
  return node !== null && node !== top && (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible' || isScrollable(node.parentElement, top));
}

/** @param {View} view @param {TouchEvent} event */
export function endSwipe(view, { changedTouches: [{ clientX, clientY }], timeStamp }) {
  const from = view.swipe;
  view.swipe = null;
  if (!from || timeStamp - from.timeStamp > SWIPE_MS || isWaiting(view) || isDialogOpen() || !document.getSelection()?.isCollapsed) return;
  const [right, down] = [clientX - from.x, clientY - from.y];
  if (Math.abs(right) < SWIPE_PX || Math.abs(right) < SLOPE * Math.abs(down)) return;
  press(view, right > 0 ? 'previous' : 'next');
}
