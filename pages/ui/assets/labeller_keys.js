// Keys, swipes and presses: one press is one event; keys that come while there is nothing to press wait for it.

/** @import { Act, Key, Question, View } from './types.d.ts' */
import { ACTS, begin, times } from './labeller.js';
import { emit, hold, pressed, RESPONSES, wait, waiting } from './labeller_outbox.js';
import { activate, choices, choose, drop, open_ones, unfinished } from './labeller_questions.js';
import { leave, look, mark, receiver, walk } from './labeller_texts.js';

/** @param {Event} event */
const typing = event => event.composedPath().some(node => node instanceof Element && node.matches('input, textarea, select, [contenteditable=true]'));

export const inDialog = () => document.querySelector('[role=dialog]') !== null;

/** @type {Record<string, Act>} */
const NAMED = { n: 'next', p: 'previous', u: 'undo', s: 'skip', f: 'flag' };

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
export function heard(view, event, name, at) {
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

/** @param {View} view @param {Act} act */
export function press(view, act) {
  const { mode } = view;
  const going = act === 'save' && (mode === 'feedback' || (mode === 'again' && !view.touched)) ? 'next' : act;
  const name = Object.keys(NAMED).find(letter => NAMED[letter] === going);
  if (view.outbox.length && name && ['previous', 'undo', 'next'].includes(going)) { view.held = true; view.keys.unshift({ key: name }); return; }
  if (view.pending || view.$(`button.${going}`).disabled) return;
  if (going === 'skip' || going === 'flag') ask(view, going);
  else if (going !== 'save') send(view, going, '');
  else if (complete(view)) send(view, 'answer', '');
}

/** @param {View} view @param {'skip'|'flag'} act */
function ask(view, act) {
  view.act = act;
  view.$('.why').hidden = false;
  view.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
  const box = view.$('.why input');
  box.value = '';
  box.focus();
}

/** @param {View} view */
export function give(view) {
  const reason = view.$('.why input').value.trim();
  if (reason) send(view, view.act, reason);
}

/** @param {View} view */
function complete(view) {
  const missing = open_ones(view).findIndex(question => unfinished(question, view.answers[question.id]));
  if (missing < 0) return true;
  const asked = open_ones(view)[missing];
  view.$('.problem').textContent = `“${asked.ask}” ${unfinished(asked, view.answers[asked.id])}.`;
  activate(view, missing);
  view.$('fieldset.active').scrollIntoView({ block: 'nearest' });
  return false;
}

/** @param {View} view @param {string} act @param {string} reason */
function send(view, act, reason) {
  clearTimeout(view.timer);
  view.timer = 0;
  const answers = Object.fromEntries(open_ones(view).filter(q => q.id in view.answers).map(q => [q.id, view.answers[q.id]]));
  const { reservation, revision } = view.task, event = { reservation, revision, act, reason, event_id: id(), answers, seq: view.seq, touched: view.touched };
  view.outbox.push({ ...event, ...times(view), at: Date.now() });
  view.unsaved = false;
  view.$('.problem').textContent = '';
  const { ahead, mode } = view.component.data, goes_on = RESPONSES.includes(act) && [mode, view.mode].every(one => one === 'work');
  if (goes_on && ahead && !pressed(view, ahead)) begin(view, ahead, 'work');
  else wait(view);
  enable(view);
  emit(view);
}

const id = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

/** @param {View} view */
export function enable(view) {
  const { can } = view.component.data, { mode } = view, going = mode === 'feedback';
  view.$('.labeller').setAttribute('aria-busy', String(view.outbox.length > 0));
  for (const act of ACTS) view.$(`button.${act}`).disabled = Boolean(view.pending) || !can[act];
  view.$('.save').hidden = going;
  view.$('.next').hidden = !can.next;
  view.$('.next').classList.toggle('main', going);
  view.$('.next kbd').textContent = going ? 'Enter' : 'N';
  view.$('.save span').textContent = view.pending ? 'Saving…' : mode === 'revealed' ? 'Save again' : 'Save';
  view.$('.undo span').textContent = mode === 'again' ? 'Undo this' : 'Undo last';
}
