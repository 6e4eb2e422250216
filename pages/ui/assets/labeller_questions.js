// The questions that come up after what was answered so far, and the answers to them.

/** @import { Choice, Link, Passage, Question, View } from './types.d.ts' */
import { element } from './dom.js';
import { same, times } from './labeller.js';
import { press } from './labeller_keys.js';
import { store } from './labeller_outbox.js';
import { here, mark, marks, nodes, panes } from './labeller_texts.js';

const DRAFT_MS = 500;

/** @param {View} view */
export const open_ones = view => view.component.data.questions.filter(question =>
  Object.entries(question.when).every(([id, values]) => values.some(value => value === view.answers[id])));

/** @param {View} view */
export const locked = view => view.mode === 'feedback';

/** @param {View} view */
export function questions(view) {
  const asked = open_ones(view), focused = view.root.activeElement;
  const asked_there = focused?.closest('fieldset')?.dataset.question, place = focused instanceof HTMLElement ? focused.dataset.place : '';
  view.active = Math.max(0, Math.min(view.active, asked.length - 1));
  view.$('.questions').replaceChildren(...asked.map((question, i) => field(view, question, i)));
  const again = asked_there && view.root.querySelector(`fieldset[data-question="${asked_there}"] [data-place="${place ?? ''}"]`);
  if (again instanceof HTMLElement) again.focus();
}

/** @param {View} view @param {Question} question @param {number} at */
function field(view, question, at) {
  const box = element('fieldset', at === view.active ? 'active' : '');
  box.dataset.question = question.id;
  box.disabled = locked(view);
  box.append(element('legend', '', question.required ? question.ask : `${question.ask} (optional)`));
  const inputs = { choice: options, several: options, scale: options, text: writing, edit: writing, span: passages, link: passages };
  box.append(inputs[question.kind](view, question, at));
  if (question.hint) box.append(element('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(view, at));
  return box;
}

/** @param {Question} question @returns {Choice[]} */
export const choices = question => question.kind === 'scale'
  ? Array.from({ length: question.high - question.low + 1 }, (_, i) => ({ value: question.low + i, text: `${question.low + i}` }))
  : question.options;

/** @param {string} words @param {number} place @param {() => void} press */
function button(words, place, press) {
  const made = element('button', '', words);
  made.type = 'button';
  made.dataset.place = String(place);
  made.addEventListener('click', press);
  if (place < 10) made.append(element('kbd', '', String((place + 1) % 10)));
  return made;
}

/** @param {View} view @param {Question} question @param {number} at */
function options(view, question, at) {
  const row = element('div', 'options');
  choices(question).forEach(({ value, text, means }, i) => {
    const made = button(text, i, () => choose(view, question, value, at));
    made.title = means ?? '';
    if (question.kind === 'scale') made.querySelector('kbd')?.remove();
    made.setAttribute('aria-pressed', String(chosen(view, question, value)));
    row.append(made);
  });
  const meaning = choices(question).find(({ value, means }) => means && chosen(view, question, value))?.means;
  if (meaning) row.append(element('p', 'hint', meaning));
  return row;
}

/**
 * What was answered so far, by the kind of the question: several values, passages of a text, claims with their passages.
 * @param {View} view
 * @param {Question} question
 */
const picks = (view, question) => /** @type {string[]} */ (view.answers[question.id] ?? []);

/** @param {View} view @param {Question} question */
export const passages_of = (view, question) => /** @type {Passage[]} */ (view.answers[question.id] ?? []);

/** @param {View} view @param {Question} question */
export const links = (view, question) => /** @type {Link[]} */ (view.answers[question.id] ?? []);

/** @param {View} view @param {Question} question @param {string|number} value */
function chosen(view, question, value) {
  return question.kind === 'several' ? picks(view, question).includes(`${value}`) : view.answers[question.id] === value;
}

/** @param {View} view @param {Question} question @param {string|number} value @param {number} at */
export function choose(view, question, value, at) {
  if (view.pending || locked(view)) return;
  const several = question.kind === 'several', before = several ? picks(view, question) : [];
  view.answers[question.id] = !several ? value : before.includes(`${value}`) ? before.filter(one => one !== value) : [...before, `${value}`];
  if (!several) view.active = at + 1;
  redraw(view);
  view.root.querySelector('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

/** @param {View} view @param {Question} question */
function writing(view, question) {
  const box = element('textarea', question.kind);
  box.setAttribute('aria-label', question.ask);
  box.dataset.place = '0';
  box.dir = 'auto';
  box.maxLength = 200000;
  box.value = String(view.answers[question.id] ?? (question.kind === 'edit' ? view.task.summary : ''));
  box.addEventListener('input', () => { view.answers[question.id] = box.value; changed(view); });
  box.addEventListener('keydown', event => {
    // the app's own shortcuts must not hear what is typed
    event.stopPropagation();
    if (event.key === 'Escape') view.$('.labeller').focus({ preventScroll: true });
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); press(view, 'save'); }
  });
  return box;
}

/** @param {View} view @param {Question} question */
function passages(view, question) {
  const row = element('div', 'options');
  const quotes = question.kind === 'link'
    ? links(view, question).map(({ claim, evidence }) => `${quote_in(view, 'summary', claim)} ← ${quote_in(view, 'document', evidence)}`)
    : passages_of(view, question).map(span => quote_of(view, question, span));
  quotes.forEach((words, i) => {
    const made = button(`${words} ×`, i, () => drop(view, question, i));
    made.title = 'Remove this passage';
    row.append(made);
  });
  const half = question.kind === 'link' ? view.half : null;
  if (half) row.append(element('span', 'half', `${quote_in(view, 'summary', half)} ← choose its passage in the document`));
  const add = element('button', 'add', question.kind === 'link' && !half ? 'Mark a claim' : question.kind === 'link' ? 'Mark its passage' : 'Mark the chosen words');
  add.type = 'button';
  add.append(element('kbd', '', 'M'));
  add.addEventListener('click', () => mark(view));
  row.append(add);
  return row;
}

/** @param {View} view @param {Question} question @param {Passage} span */
function quote_of(view, question, span) {
  return quote(panes(view).find(one => one.dataset.of === question.of && here(one, span)), span);
}

/** @param {View} view @param {'summary'|'document'} of @param {Passage} span */
const quote_in = (view, of, span) => quote(panes(view).find(one => one.dataset.of === of), span);

/** @param {HTMLElement|undefined} pane @param {Passage} span */
function quote(pane, span) {
  const words = Array.from(pane?.textContent ?? '').slice(span[0], span[1]).join('');
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
}

/** @param {View} view @param {Question} question @param {number} i */
export function drop(view, question, i) {
  if (view.pending || locked(view)) return;
  /** @param {unknown} _ @param {number} j */
  const others = (_, j) => j !== i;
  view.answers[question.id] = question.kind === 'link' ? links(view, question).filter(others) : passages_of(view, question).filter(others);
  redraw(view);
}

/** @param {View} view */
export function redraw(view) { changed(view); marks(view); questions(view); }

/** @param {View} view @param {number} at */
export function activate(view, at) {
  view.active = at;
  [...view.$('.questions').children].forEach((box, i) => { box.classList.toggle('active', i === at); });
}

/**
 * The change by itself, where it can be seen however long the texts are.
 * @param {View} view
 */
export function preview(view) {
  const { preview: known, task } = view.component.data, shown = same(view, task) ? known : null, box = view.$('.preview');
  box.hidden = !shown;
  if (shown) box.replaceChildren(...nodes(shown.pieces, [], []), element('strong', '', shown.refusal));
}

/** @param {View} view */
function changed(view) {
  view.touched = view.unsaved = true;
  store(view);
  view.$('.problem').textContent = view.$('.kept').textContent = '';
  draft(view);
}

/** @param {View} view */
export function draft(view) {
  clearTimeout(view.timer);
  if (view.outbox.length) return;  // what was pressed before comes first
  view.timer = setTimeout(() => {
    Object.assign(view, { timer: 0, sentAt: performance.now() });  // nothing is typed that is not on its way
    view.seq += 1;
    view.component.setStateValue('draft', { reservation: view.task.reservation, answers: view.answers, seq: view.seq, ...times(view) });
  }, DRAFT_MS);
}
