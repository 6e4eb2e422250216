// The task in hand: begun, taken up again with what the server knows of it by now, and shown.

/** @import { Task, TaskMode, View } from './types.d.ts' */
import { all, element } from './dom.js';
import { drawQuestions } from './labeller_questions.js';
import { drawTexts, pieceNodes } from './labeller_texts.js';
import { isDialogOpen, isSameTask, lostDraft, scheduleDraft, tick } from './labeller_view.js';

/** @param {View} view @param {Task} task @param {TaskMode} mode */
export function beginTask(view, task, mode) {
  const stash = view.stash[task.reservation] ?? (mode === 'work' || mode === 'again' ? lostDraft(view, task) : undefined);
  delete view.stash[task.reservation];
  clearTimeout(view.timer);
  view.timer = 0;
  Object.assign(view, { task, mode, pending: null, active: 0, pick: null, lastPick: null, openClaim: null, drawnTexts: '' });
  Object.assign(view, { found: [], foundAt: -1, wordAt: -1, paragraphAt: -1 });
  Object.assign(view, { unsaved: Boolean(stash), touched: Boolean(stash) || task.changed });
  Object.assign(view, { answers: structuredClone(stash?.answers ?? task.answers), startedAt: performance.now(), isVisible: false });
  Object.assign(view, { activeMs: (stash ?? task).active_ms, wallMs: (stash ?? task).wall_ms, drawnQuestions: JSON.stringify(view.component.data.questions) });
  tick(view);
  view.$('.why').hidden = view.$('.find').hidden = true;
  view.$('.kept').textContent = '';
  drawTask(view);
  view.$('.document .text').scrollTop = view.$('.work').scrollTop = 0;
  // keys are heard at once, whichever widget brought the task
  if (!isDialogOpen()) view.$('.labeller').focus({ preventScroll: true });
  if (stash) scheduleDraft(view);
}

/**
 * The task in hand once more, with what the server knows of it by now.
 * @param {View} view
 * @param {Task} task
 */
export function adoptTask(view, task) {
  const questions = JSON.stringify(view.component.data.questions), isUntouched = !view.touched && view.component.data.stamp !== view.stamp;
  view.task = task;
  if (isUntouched) view.answers = structuredClone(task.answers);
  if (questions !== view.drawnQuestions || isUntouched) drawQuestions(view);
  view.drawnQuestions = questions;
  drawTexts(view);
  drawPreview(view);
  if (view.touched && view.component.data.stamp !== view.stamp) scheduleDraft(view);
}

/** @param {View} view */
function drawTask(view) {
  const questions = view.component.data.questions;
  drawHead(view);
  for (const node of all(view.root, '.on-text')) node.hidden = !questions.some(({ kind }) => ['text', 'edit'].includes(kind));
  view.$('.on-span').hidden = !questions.some(({ kind }) => ['span', 'link'].includes(kind));
  view.$('.on-words').hidden = !questions.some(({ kind, of }) => kind === 'link' || (kind === 'span' && of === 'summary'));
  drawScores(view);
  drawFeedback(view);
  drawPreview(view);
  drawTexts(view);
  drawQuestions(view);
}

/** @param {View} view */
export function drawHead(view) {
  const { receipt } = view.component.data;
  view.$('.where').textContent = view.task.title;
  view.$('.help').textContent = view.task.help;
  view.$('.help').hidden = !view.task.help;
  view.$('.receipt').textContent = receipt ? `· ${receipt}` : '';
}

/**
 * The change by itself, where it can be seen however long the texts are.
 * @param {View} view
 */
function drawPreview(view) {
  const { preview: latest, task } = view.component.data, preview = isSameTask(view, task) ? latest : null, box = view.$('.preview');
  box.hidden = !preview;
  if (preview) box.replaceChildren(...pieceNodes(preview.pieces, []), element('strong', '', preview.refusal));
}

/** @param {View} view */
function drawFeedback(view) {
  const { feedback } = view.component.data, box = view.$('.feedback');
  box.hidden = !feedback;
  if (!feedback) return;
  box.className = `feedback ${feedback.right ? 'right' : 'wrong'}`;
  const expected = feedback.expected.map(([ask, answer]) => element('p', '', `${ask} ${answer}`));
  box.replaceChildren(element('strong', '', feedback.right ? '✓ Right.' : '✗ Not as expected.'), ...(feedback.right ? [] : expected), element('p', '', feedback.words));
}

/** @param {View} view */
function drawScores(view) {
  const { scores: rows } = view.component.data, box = view.$('.scores');
  box.hidden = !rows;
  if (!rows) return;
  const table = element('table');
  table.append(...[['Metric', 'Original', 'Edited'], ...rows].map((cells, i) => {
    const row = element('tr');
    row.append(...cells.map(cell => element(i ? 'td' : 'th', '', cell)));
    return row;
  }));
  const words = rows.length ? 'Your first label is kept as it is. Keep or change your answer with the scores in view: that is a second label.'
    : 'No metric was run on this item. Save again to go on.';
  box.replaceChildren(element('h3', '', 'What the metrics say'), ...(rows.length ? [table] : []), element('p', 'hint', words));
}
