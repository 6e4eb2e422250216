// The questions as fields, and what answers them: a choice, a text, words that are marked.

/** @import { Passage, Question, Span, View } from './types.d.ts' */
import { element } from './dom.js';
import { categoryOf, choices, isChosen, isLocked, linksOf, noteChange, openQuestions, passagesOf, picks, sideOf, takesSeveral } from './labeller_answers.js';
import { drawMarks, panes, questionFor } from './labeller_texts.js';

const NO_KEY = 10;  // places from here on have none

/** @param {View} view */
export function drawQuestions(view) {
  const questions = openQuestions(view), focused = view.root.activeElement;
  const focusedQuestion = focused?.closest('fieldset')?.dataset.question, place = focused instanceof HTMLElement ? focused.dataset.place : '';
  view.active = Math.max(0, Math.min(view.active, questions.length - 1));
  view.$('.questions').replaceChildren(...questions.map((question, i) => questionField(view, question, i)));
  const focusedInput = focusedQuestion && view.root.querySelector(`fieldset[data-question="${focusedQuestion}"] [data-place="${place ?? ''}"]`);
  if (focusedInput instanceof HTMLElement) focusedInput.focus();
}

/** @param {View} view @param {Question} question @param {number} at */
function questionField(view, question, at) {
  const box = element('fieldset', at === view.active ? 'active' : '');
  box.dataset.question = question.id;
  box.disabled = isLocked(view);
  box.append(element('legend', '', question.required ? question.ask : `${question.ask} (optional)`));
  const inputs = {
    choice: optionsRow, several: optionsRow, scale: optionsRow, ranking: optionsRow, 'best-worst': optionsRow,
    slider: sliderRow, soft: sharesRow, text: textBox, edit: textBox, span: passagesRow, link: passagesRow,
  };
  box.append(inputs[question.kind](view, question, at));
  if (question.hint) box.append(element('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(view, at));
  return box;
}

/** @param {string} words @param {number} place @param {() => void} press */
function numberedButton(words, place, press) {
  const button = element('button', '', words);
  button.type = 'button';
  button.dataset.place = String(place);
  button.addEventListener('click', press);
  if (place < 10) showKey(button, String((place + 1) % 10));
  return button;
}

/**
 * The key on a button, which is no part of its name.
 * @param {HTMLElement} button
 * @param {string} key
 */
function showKey(button, key) {
  button.setAttribute('aria-keyshortcuts', key);
  button.append(element('kbd', '', key, { 'aria-hidden': 'true' }));
}

/** @param {View} view @param {Question} question @param {number} at */
function optionsRow(view, question, at) {
  const row = element('div', 'options');
  choices(question).forEach(({ value, text, means }, i) => {
    const button = numberedButton(`${orderLabel(view, question, value)}${text}`, i, () => choose(view, question, value, at));
    button.title = means ?? '';
    if (question.kind === 'scale') button.querySelector('kbd')?.remove();
    button.setAttribute('aria-pressed', String(isChosen(view, question, value)));
    row.append(button);
  });
  const meaning = choices(question).find(({ value, means }) => means && isChosen(view, question, value))?.means;
  if (meaning) row.append(element('p', 'hint', meaning));
  return row;
}

/** @param {View} view @param {Question} question @param {string|number} value */
function orderLabel(view, question, value) {
  const at = ['ranking', 'best-worst'].includes(question.kind) ? picks(view, question).indexOf(`${value}`) : -1;
  return at < 0 ? '' : question.kind === 'ranking' ? `${at + 1}. ` : ['best: ', 'worst: '][at];
}

/** @param {View} view @param {Question} question */
function sliderRow(view, question) {
  const row = element('div', 'options'), box = element('input', 'slider'), output = element('output', 'half');
  const answer = view.answers[question.id];
  Object.assign(box, { type: 'range', min: String(question.low), max: String(question.high), step: '1' });
  box.value = String(answer ?? Math.round((question.low + question.high) / 2));
  output.textContent = answer === undefined ? 'not answered yet' : `${answer}`;
  box.addEventListener('input', () => { view.answers[question.id] = Number(box.value); output.textContent = box.value; noteChange(view); });
  box.addEventListener('click', () => { view.answers[question.id] = Number(box.value); output.textContent = box.value; noteChange(view); });
  row.append(fieldInput(view, box, question.ask, 0), output);
  return row;
}

/** @param {View} view @param {Question} question */
function sharesRow(view, question) {
  const row = element('div', 'options'), output = element('output', 'half');
  const answer = /** @type {number[]} */ (view.answers[question.id] ?? []);
  const boxes = question.options.map(({ text, means }, i) => {
    const line = element('label', 'share', text), box = element('input', '');
    line.title = means;
    Object.assign(box, { type: 'number', min: '0', max: '100', step: '5' });
    box.value = answer.length ? String(answer[i]) : '';
    box.addEventListener('input', sum);
    line.append(fieldInput(view, box, `${question.ask}: ${text}`, i));
    row.append(line);
    return box;
  });
  function total() { return boxes.reduce((all, { value }) => all + Number(value), 0); }
  function say() { output.textContent = `${total()} of 100 %`; }
  function sum() {
    if (boxes.every(({ value }) => value === '')) delete view.answers[question.id];
    else view.answers[question.id] = boxes.map(({ value }) => Math.round(Number(value)));
    say();
    noteChange(view);
  }
  say();
  row.append(output);
  return row;
}

/** @param {View} view @param {HTMLInputElement} box @param {string} label @param {number} place */
function fieldInput(view, box, label, place) {
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
  if (view.pending || isLocked(view)) return;
  const several = takesSeveral(question), before = several ? picks(view, question) : [];
  if (question.kind === 'best-worst' && before.length === 2 && !before.includes(`${value}`)) return;
  view.answers[question.id] = !several ? value : before.includes(`${value}`) ? before.filter(option => option !== value) : [...before, `${value}`];
  if (!several) view.active = at + 1;
  redraw(view);
  view.root.querySelector('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

/** @param {View} view @param {Question} question */
function textBox(view, question) {
  const box = element('textarea', question.kind);
  box.setAttribute('aria-label', question.ask);
  box.dataset.place = '0';
  box.dir = 'auto';
  box.maxLength = 200000;
  box.value = String(view.answers[question.id] ?? (question.kind === 'edit' ? view.task.summary : ''));
  box.addEventListener('input', () => { view.answers[question.id] = box.value; noteChange(view); });
  box.addEventListener('keydown', event => {
    // the app's own shortcuts must not hear what is typed
    event.stopPropagation();
    if (event.key === 'Escape') view.$('.labeller').focus({ preventScroll: true });
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); view.onPress('save'); }
  });
  return box;
}

/** @param {View} view @param {Question} question */
function passagesRow(view, question) {
  const row = element('div', 'options');
  const quotes = question.kind === 'link'
    ? linksOf(view, question).map(({ claim, evidence }) => `${quoteIn(view, 'summary', claim)} ← ${quoteIn(view, 'document', evidence)}`)
    : passagesOf(view, question).map(span => quoteOf(view, question, span));
  if (question.options.length) question.options.forEach(({ value, text, means }, i) => {
    const button = numberedButton(text, i, () => markPassage(view, value));
    button.className = `category c${i}`;
    button.title = means ?? '';
    row.append(button);
  });
  quotes.forEach((words, i) => {
    // keys are those of the categories, where there are some
    const button = numberedButton(`${words} ×`, question.options.length ? NO_KEY + i : i, () => dropPassage(view, question, i));
    button.title = 'Remove this passage';
    row.append(button);
  });
  const openClaim = question.kind === 'link' ? view.openClaim : null;
  if (openClaim) row.append(element('span', 'half', `${quoteIn(view, 'summary', openClaim)} ← choose its passage in the document`));
  if (question.options.length) { row.append(element('p', 'hint', 'Choose words, then the number of their category.')); return row; }
  const add = element('button', 'add', question.kind === 'link' && !openClaim ? 'Mark a claim' : question.kind === 'link' ? 'Mark its passage' : 'Mark the chosen words');
  add.type = 'button';
  showKey(add, 'M');
  add.addEventListener('click', () => markPassage(view));
  row.append(add);
  return row;
}

/** @param {View} view @param {Question} question @param {Passage} span */
function quoteOf(view, question, span) {
  const words = quote(panes(view).find(pane => pane.dataset.of === question.of && pane.dataset.side === sideOf(question, span)), span);
  const category = question.options[categoryOf(question, span)];
  return category ? `${category.text}: ${words}` : words;
}

/** @param {View} view @param {'summary'|'document'} of @param {Passage} span */
const quoteIn = (view, of, span) => quote(panes(view).find(pane => pane.dataset.of === of), span);

/** @param {HTMLElement|undefined} pane @param {Passage} span */
function quote(pane, span) {
  const words = Array.from(pane?.textContent ?? '').slice(span[0], span[1]).join('');
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
}

/** @param {View} view @param {Question} question @param {number} i */
export function dropPassage(view, question, i) {
  if (view.pending || isLocked(view)) return;
  /** @param {unknown} _ @param {number} j */
  const others = (_, j) => j !== i;
  view.answers[question.id] = question.kind === 'link' ? linksOf(view, question).filter(others) : passagesOf(view, question).filter(others);
  redraw(view);
}

/** @param {View} view @param {string} [category] */
export function markPassage(view, category) {
  if (!view.pick) return;
  const { pane, span } = view.pick, question = questionFor(view, pane);
  if (!question || isLocked(view)) return;
  if (question.kind === 'link' && !linkPassage(view, question, pane, span)) return;
  if (question.options.length && !question.options.some(({ value }) => value === category)) {
    view.$('.problem').textContent = 'Press the number of a category.';
    return;
  }
  /** @type {Passage} */
  const passage = [...span, ...(pane.dataset.side ? [pane.dataset.side] : []), ...(category && question.options.length ? [category] : [])];
  if (question.kind === 'span') view.answers[question.id] = [...passagesOf(view, question), passage];
  Object.assign(view, { pick: null, lastPick: view.pick });
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
function linkPassage(view, question, pane, span) {
  const claims = pane.dataset.of === 'summary';
  if (claims) { view.openClaim = span; return true; }
  if (!view.openClaim) {
    view.$('.problem').textContent = 'Mark the claim in the summary first.';
    return false;
  }
  view.answers[question.id] = [...linksOf(view, question), { claim: view.openClaim, evidence: span }];
  view.openClaim = null;
  return true;
}

/** @param {View} view */
function redraw(view) { noteChange(view); drawMarks(view); drawQuestions(view); }

/** @param {View} view @param {number} at */
export function activate(view, at) {
  view.active = at;
  [...view.$('.questions').children].forEach((box, i) => { box.classList.toggle('active', i === at); });
}
