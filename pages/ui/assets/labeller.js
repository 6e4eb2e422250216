/** @import { Act, LabellerComponent, Task, TaskMode, View } from './types.d.ts' */
import { all, element, finder } from './dom.js';
import { enable, give, inDialog, key, press, swipe_from, swipe_to } from './labeller_keys.js';
import { kept, look_after, other_tabs, pressed, put_back, receipts, replay, store, tell, unsent, wait } from './labeller_outbox.js';
import { draft, preview, questions } from './labeller_questions.js';
import { remember, texts } from './labeller_texts.js';

/** @type {WeakMap<ShadowRoot, View>} */
const views = new WeakMap();
const IDLE_MS = 30000;
/** @type {Act[]} */
export const ACTS = ['save', 'next', 'previous', 'undo', 'skip', 'flag'];
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel'];

/** @param {LabellerComponent} component */
export default function (component) {
  const root = component.parentElement;
  const view = views.get(root) ?? open(root, component);
  view.component = component;
  receive(view);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) close(view, root); };
}

/** @param {ShadowRoot} root @param {LabellerComponent} component */
function open(root, component) {
  const $ = finder(root), { task, mode } = component.data;
  /** @type {View} */
  const view = {
    $, root, component, begun: false, task, mode, answers: {}, active: 0, pending: null, act: 'skip', pick: null, from: null, half: null,
    unsaved: false, touched: false, drawn: '', asked: '', problemShown: '', stamp: null, seq: 0, timer: 0,
    activeMs: 0, wallMs: 0, began: 0, seen: false, last: 0, ...unsent(), swipe: null,
    onKey: event => key(view, event),
    onSign: () => tick(view),
    onSelect: () => remember(view),
    channel: other_tabs($),
    watch: setInterval(() => look_after(view), 500),
  };
  views.set(root, view);
  for (const act of ACTS) $(`.${act}`).addEventListener('click', () => press(view, act));
  $('.why').addEventListener('submit', event => { event.preventDefault(); give(view); });
  $('.cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.questions').addEventListener('submit', event => event.preventDefault());
  $('.labeller').addEventListener('touchstart', event => swipe_from(view, event), { passive: true });
  $('.labeller').addEventListener('touchend', event => swipe_to(view, event), { passive: true });
  $('.labeller').addEventListener('touchcancel', () => { view.swipe = null; });
  document.addEventListener('keydown', view.onKey);
  document.addEventListener('selectionchange', view.onSelect);
  document.addEventListener('visibilitychange', view.onSign);
  for (const sign of SIGNS) document.addEventListener(sign, view.onSign, true);
  return view;
}

/** @param {View} view @param {ShadowRoot} root */
function close(view, root) {
  clearTimeout(view.timer);
  clearInterval(view.watch);
  view.channel.close();
  document.removeEventListener('keydown', view.onKey);
  document.removeEventListener('selectionchange', view.onSelect);
  document.removeEventListener('visibilitychange', view.onSign);
  for (const sign of SIGNS) document.removeEventListener(sign, view.onSign, true);
  views.delete(root);
}

/**
 * Time is active while the page is seen and the last sign of life is less than half a minute old.
 * @param {View} view
 */
function tick(view) {
  const now = performance.now();
  if (view.seen) view.activeMs += Math.min(now - view.last, IDLE_MS);
  view.seen = !document.hidden;
  view.last = now;
}

/** @param {View} view */
export const times = view => {
  tick(view);
  return { active_ms: Math.round(view.activeMs), wall_ms: Math.round(view.wallMs + performance.now() - view.began) };
};

/**
 * What is in hand stays as it is typed, whatever comes from the server: a receipt, the same task once more, or what is next.
 * @param {View} view
 */
function receive(view) {
  const { data } = view.component, first = !view.begun, { problem, drafted, stamp } = data;
  if (first) view.seq = drafted;  // the session before counted so far
  if (drafted === view.seq && view.seq && !view.timer) kept(view);
  if (`${stamp} ${problem}` !== view.problemShown) view.$('.problem').textContent = problem;
  view.problemShown = `${stamp} ${problem}`;
  const refused = stamp === view.stamp ? null : receipts(view);
  const target = [data.mode === 'waiting' ? null : data.task, data.ahead].find(task => task !== null && !pressed(view, task));
  const mode = target === data.task ? data.mode : 'work';
  if (refused) put_back(view, refused, target);
  if (!target) { if (first) begin(view, data.task, data.mode); wait(view); }
  else if (!first && !refused && !view.pending && same(view, target) && view.mode === mode) adopt(view, target);
  else begin(view, target, mode);
  view.begun = true;
  view.stamp = stamp;
  store(view);
  head(view);
  enable(view);
  tell(view);
  replay(view);
}

/** @param {View} view @param {Task} task */
export const same = (view, task) => view.task.reservation === task.reservation;

/**
 * The task in hand once more, with what the server knows of it by now.
 * @param {View} view
 * @param {Task} task
 */
function adopt(view, task) {
  const asked = JSON.stringify(view.component.data.questions), untouched = !view.touched && view.component.data.stamp !== view.stamp;
  view.task = task;
  if (untouched) view.answers = structuredClone(task.answers);
  if (asked !== view.asked || untouched) questions(view);
  view.asked = asked;
  texts(view);
  preview(view);
  if (view.touched && view.component.data.stamp !== view.stamp) draft(view);
}

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
function head(view) {
  const { receipt } = view.component.data;
  view.$('.where').textContent = view.task.title;
  view.$('.help').textContent = view.task.help;
  view.$('.help').hidden = !view.task.help;
  view.$('.receipt').textContent = receipt ? `· ${receipt}` : '';
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
