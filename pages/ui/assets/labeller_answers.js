// The questions that come up after what was answered so far, and the answers to them as they stand.

/** @import { Answer, Choice, Link, Passage, Question, View } from './types.d.ts' */
import { scheduleDraft, storeUnsent } from './labeller_view.js';

/** @param {View} view */
export const openQuestions = view => view.component.data.questions.filter(question =>
  Object.entries(question.when).every(([id, values]) => values.some(value => value === view.answers[id])));

/** @param {View} view */
export const isLocked = view => view.mode === 'feedback';

/** @param {Question} question @returns {Choice[]} */
export const choices = question => question.kind === 'scale'
  ? Array.from({ length: question.high - question.low + 1 }, (_, i) => ({ value: question.low + i, text: `${question.low + i}` }))
  : question.kind === 'soft' ? [] : question.options;

/**
 * What was answered so far, by the kind of the question: several values, passages of a text, claims with their passages.
 * @param {View} view
 * @param {Question} question
 */
export const picks = (view, question) => /** @type {string[]} */ (view.answers[question.id] ?? []);

/** @param {View} view @param {Question} question */
export const passagesOf = (view, question) => /** @type {Passage[]} */ (view.answers[question.id] ?? []);

/** @param {Question} question @param {Passage} passage */
export const sideOf = (question, passage) => passage.slice(2, question.options.length ? -1 : undefined).join('');

/**
 * The place of the category of a passage among the options; -1 where there is none.
 * @param {Question} question
 * @param {Passage} passage
 */
export const categoryOf = (question, passage) => question.options.findIndex(({ value }) => value === passage.at(-1));

/** @param {View} view @param {Question} question */
export const linksOf = (view, question) => /** @type {Link[]} */ (view.answers[question.id] ?? []);

/** @param {View} view @param {Question} question @param {string|number} value */
export function isChosen(view, question, value) {
  return takesSeveral(question) ? picks(view, question).includes(`${value}`) : view.answers[question.id] === value;
}

/** @param {Question} question */
export const takesSeveral = question => ['several', 'ranking', 'best-worst'].includes(question.kind);

/**
 * Why an answer is not whole yet, or "".
 * @param {Question} question
 * @param {Answer | undefined} answer
 */
export function answerError(question, answer) {
  const empty = answer === undefined || answer === '' || (Array.isArray(answer) && answer.length === 0);
  if (empty) return question.required ? 'is not answered yet' : '';
  if (!Array.isArray(answer)) return '';
  if (question.kind === 'ranking' && answer.length < question.options.length) return 'has no order of all yet';
  if (question.kind === 'best-worst' && answer.length < 2) return 'has a best and no worst yet';
  const sum = question.kind === 'soft' ? /** @type {number[]} */ (answer).reduce((all, share) => all + share, 0) : 100;
  return sum === 100 ? '' : `has ${sum} of 100 %`;
}

/** @param {View} view */
export function noteChange(view) {
  view.touched = view.unsaved = true;
  storeUnsent(view);
  view.$('.problem').textContent = view.$('.kept').textContent = '';
  scheduleDraft(view);
}
