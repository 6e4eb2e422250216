// The task in hand: begun, taken up again with what the server knows of it by now, and shown.

/** @import { Task, TaskMode, View } from './types.d.ts' */
import { all, element } from './dom.js';
import { questions } from './labeller_questions.js';
import { nodes, texts } from './labeller_texts.js';
import { draft, inDialog, same, tick } from './labeller_view.js';

/** @param {View} view @param {Task} task @param {TaskMode} mode */
export function begin(view, task, mode) {
  const stashed = view.stash[task.reservation];
  delete view.stash[task.reservation];
  clearTimeout(view.timer);
  view.timer = 0;
  Object.assign(view, { task, mode, pending: null, active: 0, pick: null, from: null, half: null, unsaved: Boolean(stashed), touched: Boolean(stashed) || task.changed, drawn: '' });
  Object.assign(view, { answers: structuredClone(stashed?.answers ?? task.answers), began: performance.now(), seen: false });
  Object.assign(view, { activeMs: (stashed ?? task).active_ms, wallMs: (stashed ?? task).wall_ms, asked: JSON.stringify(view.component.data.questions) });
  tick(view);
  view.$('.why').hidden = true;
  view.$('.kept').textContent = '';
  draw(view);
  view.$('.document .text').scrollTop = view.$('.work').scrollTop = 0;
  // keys are heard at once, whichever widget brought the task
  if (!inDialog()) view.$('.labeller').focus({ preventScroll: true });
  if (stashed) draft(view);
}

/**
 * The task in hand once more, with what the server knows of it by now.
 * @param {View} view
 * @param {Task} task
 */
export function adopt(view, task) {
  const asked = JSON.stringify(view.component.data.questions), untouched = !view.touched && view.component.data.stamp !== view.stamp;
  view.task = task;
  if (untouched) view.answers = structuredClone(task.answers);
  if (asked !== view.asked || untouched) questions(view);
  view.asked = asked;
  texts(view);
  preview(view);
  if (view.touched && view.component.data.stamp !== view.stamp) draft(view);
}

/** @param {View} view */
function draw(view) {
  const asked = view.component.data.questions;
  head(view);
  for (const node of all(view.root, '.on-text')) node.hidden = !asked.some(({ kind }) => ['text', 'edit'].includes(kind));
  view.$('.on-span').hidden = !asked.some(({ kind }) => ['span', 'link'].includes(kind));
  view.$('.on-words').hidden = !asked.some(({ kind, of }) => kind === 'link' || (kind === 'span' && of === 'summary'));
  scores(view);
  feedback(view);
  preview(view);
  texts(view);
  questions(view);
}

/** @param {View} view */
export function head(view) {
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
function preview(view) {
  const { preview: known, task } = view.component.data, shown = same(view, task) ? known : null, box = view.$('.preview');
  box.hidden = !shown;
  if (shown) box.replaceChildren(...nodes(shown.pieces, [], []), element('strong', '', shown.refusal));
}

/** @param {View} view */
function feedback(view) {
  const { feedback: shown } = view.component.data, box = view.$('.feedback');
  box.hidden = !shown;
  if (!shown) return;
  box.className = `feedback ${shown.right ? 'right' : 'wrong'}`;
  const expected = shown.expected.map(([ask, answer]) => element('p', '', `${ask} ${answer}`));
  box.replaceChildren(element('strong', '', shown.right ? '✓ Right.' : '✗ Not as expected.'), ...(shown.right ? [] : expected), element('p', '', shown.words));
}

/** @param {View} view */
function scores(view) {
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
