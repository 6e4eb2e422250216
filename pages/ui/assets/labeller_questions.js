// The questions as fields, and what answers them: a choice, a text, words that are marked.

/** @import { Passage, Question, Span, View } from './types.d.ts' */
import { element } from './dom.js';
import { changed, choices, chosen, links, locked, open_ones, passages_of, picks, takes_several } from './labeller_answers.js';
import { here, marks, panes, receiver } from './labeller_texts.js';

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
  const inputs = { choice: options, several: options, scale: options, slider: sliding, ranking: options, 'best-worst': options, soft: shares, text: writing, edit: writing, span: passages, link: passages };
  box.append(inputs[question.kind](view, question, at));
  if (question.hint) box.append(element('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(view, at));
  return box;
}

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
    const made = button(`${place(view, question, value)}${text}`, i, () => choose(view, question, value, at));
    made.title = means ?? '';
    if (question.kind === 'scale') made.querySelector('kbd')?.remove();
    made.setAttribute('aria-pressed', String(chosen(view, question, value)));
    row.append(made);
  });
  const meaning = choices(question).find(({ value, means }) => means && chosen(view, question, value))?.means;
  if (meaning) row.append(element('p', 'hint', meaning));
  return row;
}

/** @param {View} view @param {Question} question @param {string|number} value */
function place(view, question, value) {
  const at = ['ranking', 'best-worst'].includes(question.kind) ? picks(view, question).indexOf(`${value}`) : -1;
  return at < 0 ? '' : question.kind === 'ranking' ? `${at + 1}. ` : ['best: ', 'worst: '][at];
}

/** @param {View} view @param {Question} question */
function sliding(view, question) {
  const row = element('div', 'options'), box = element('input', 'slider'), shown = element('output', 'half');
  const answer = view.answers[question.id];
  Object.assign(box, { type: 'range', min: String(question.low), max: String(question.high), step: '1' });
  box.value = String(answer ?? Math.round((question.low + question.high) / 2));
  shown.textContent = answer === undefined ? 'not answered yet' : `${answer}`;
  box.addEventListener('input', () => { view.answers[question.id] = Number(box.value); shown.textContent = box.value; changed(view); });
  box.addEventListener('click', () => { view.answers[question.id] = Number(box.value); shown.textContent = box.value; changed(view); });
  row.append(field_input(view, box, question.ask, 0), shown);
  return row;
}

/** @param {View} view @param {Question} question */
function shares(view, question) {
  const row = element('div', 'options'), shown = element('output', 'half');
  const answer = /** @type {number[]} */ (view.answers[question.id] ?? []);
  const boxes = question.options.map(({ text, means }, i) => {
    const line = element('label', 'share', text), box = element('input', '');
    line.title = means;
    Object.assign(box, { type: 'number', min: '0', max: '100', step: '5' });
    box.value = answer.length ? String(answer[i]) : '';
    box.addEventListener('input', sum);
    line.append(field_input(view, box, `${question.ask}: ${text}`, i));
    row.append(line);
    return box;
  });
  function total() { return boxes.reduce((all, { value }) => all + Number(value), 0); }
  function say() { shown.textContent = `${total()} of 100 %`; }
  function sum() {
    if (boxes.every(({ value }) => value === '')) delete view.answers[question.id];
    else view.answers[question.id] = boxes.map(({ value }) => Math.round(Number(value)));
    say();
    changed(view);
  }
  say();
  row.append(shown);
  return row;
}

/** @param {View} view @param {HTMLInputElement} box @param {string} label @param {number} place */
function field_input(view, box, label, place) {
  box.setAttribute('aria-label', label);
  box.dataset.place = String(place);
  box.addEventListener('keydown', event => {
    event.stopPropagation();
    if (event.key === 'Escape') view.$('.labeller').focus({ preventScroll: true });
    if (event.key === 'Enter') { event.preventDefault(); view.onPress('save'); }
  });
  return box;
}

/** @param {View} view @param {Question} question @param {string|number} value @param {number} at */
export function choose(view, question, value, at) {
  if (view.pending || locked(view)) return;
  const several = takes_several(question), before = several ? picks(view, question) : [];
  if (question.kind === 'best-worst' && before.length === 2 && !before.includes(`${value}`)) return;
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
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); view.onPress('save'); }
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
export function mark(view) {
  if (!view.pick) return;
  const { pane, span } = view.pick, question = receiver(view, pane);
  if (!question || locked(view)) return;
  if (question.kind === 'link' && !link(view, question, pane, span)) return;
  /** @type {Passage} */
  const whole = pane.dataset.side ? [...span, pane.dataset.side] : [...span];
  if (question.kind === 'span') view.answers[question.id] = [...passages_of(view, question), whole];
  Object.assign(view, { pick: null, from: view.pick });
  document.getSelection()?.removeAllRanges();
  redraw(view);
}

/**
 * First a claim of the summary, then the passage of the document that decides it.
 * @param {View} view
 * @param {Question} question
 * @param {HTMLElement} pane
 * @param {Span} span
 */
function link(view, question, pane, span) {
  const claims = pane.dataset.of === 'summary';
  if (claims) { view.half = span; return true; }
  if (!view.half) {
    view.$('.problem').textContent = 'Mark the claim in the summary first.';
    return false;
  }
  view.answers[question.id] = [...links(view, question), { claim: view.half, evidence: span }];
  view.half = null;
  return true;
}

/** @param {View} view */
function redraw(view) { changed(view); marks(view); questions(view); }

/** @param {View} view @param {number} at */
export function activate(view, at) {
  view.active = at;
  [...view.$('.questions').children].forEach((box, i) => { box.classList.toggle('active', i === at); });
}
