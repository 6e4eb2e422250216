const views = new WeakMap();
const IDLE_MS = 30000, DRAFT_MS = 500, LOST_MS = 2000;
const ACTS = ['save', 'next', 'previous', 'undo', 'skip', 'flag'];
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel'];

export default function (component) {
  const root = component.parentElement;
  const view = views.get(root) ?? open(root);
  view.component = component;
  receive(view);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) close(view, root); };
}

function open(root) {
  const $ = selector => root.querySelector(selector);
  const view = { $, root, answers: {}, active: 0, pending: null, act: '', pick: null, seq: 0, activeMs: 0, wallMs: 0 };
  views.set(root, view);
  for (const act of ACTS) $(`.${act}`).addEventListener('click', () => press(view, act));
  $('.why').addEventListener('submit', event => { event.preventDefault(); give(view); });
  $('.cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.questions').addEventListener('submit', event => event.preventDefault());
  view.onKey = event => key(view, event);
  view.onSign = () => tick(view);
  view.onSelect = () => remember(view);
  document.addEventListener('keydown', view.onKey);
  document.addEventListener('selectionchange', view.onSelect);
  document.addEventListener('visibilitychange', view.onSign);
  for (const sign of SIGNS) document.addEventListener(sign, view.onSign, true);
  view.watch = setInterval(() => sendAgain(view), 500);
  return view;
}

function close(view, root) {
  clearTimeout(view.timer);
  clearInterval(view.watch);
  document.removeEventListener('keydown', view.onKey);
  document.removeEventListener('selectionchange', view.onSelect);
  document.removeEventListener('visibilitychange', view.onSign);
  for (const sign of SIGNS) document.removeEventListener(sign, view.onSign, true);
  views.delete(root);
}

// Time is active while the page is seen and the last sign of life is less than half a minute old.
function tick(view) {
  const now = performance.now();
  if (view.seen) view.activeMs += Math.min(now - view.last, IDLE_MS);
  view.seen = !document.hidden;
  view.last = now;
}

const times = view => {
  tick(view);
  return { active_ms: Math.round(view.activeMs), wall_ms: Math.round(view.wallMs + performance.now() - view.began) };
};

// A new stamp brings another task, or the same one once more. After a lost connection the session is a new one, and what
// was typed or pressed meanwhile is known only here: it stays and is sent again.
function receive(view) {
  const { task, stamp, handled, problem, drafted } = view.component.data;
  if (!view.task) view.seq = drafted;  // the session before counted so far
  if (drafted === view.seq && view.seq && !view.timer) view.$('.kept').textContent = '· draft kept';
  if (`${stamp} ${problem}` !== view.problemShown) view.$('.problem').textContent = problem;
  view.problemShown = `${stamp} ${problem}`;
  if (stamp === view.stamp) { texts(view); preview(view); return; }
  const lost = view.pending && view.pending.event_id !== handled, same = view.task?.reservation === task.reservation;
  view.stamp = stamp;
  if (lost && same) { emit(view); return; }
  const answered = view.pending;
  view.pending = null;
  if (same && !answered && view.touched) { view.task = task; draw(view); draft(view); }
  else if (!problem) begin(view, task);
  enable(view);
}

function begin(view, task) {
  view.timer = clearTimeout(view.timer);
  Object.assign(view, { task, answers: structuredClone(task.answers), active: 0, pick: null, from: null, touched: task.changed, drawn: '' });
  Object.assign(view, { began: performance.now(), activeMs: task.active_ms, wallMs: task.wall_ms, seen: false });
  tick(view);
  view.$('.why').hidden = true;
  view.$('.kept').textContent = '';
  draw(view);
  view.$('.document .text').scrollTop = view.$('.work').scrollTop = 0;
  // keys are heard at once, whichever widget brought the task
  if (!inDialog()) view.$('.labeller').focus({ preventScroll: true });
}

const make = (tag, name = '', text = '') => Object.assign(document.createElement(tag), { className: name, textContent: text });

function draw(view) {
  const { task, receipt, questions: all } = view.component.data;
  view.$('.where').textContent = task.title;
  view.$('.receipt').textContent = receipt ? `· ${receipt}` : '';
  for (const node of view.root.querySelectorAll('.on-text')) node.hidden = !all.some(q => ['text', 'edit'].includes(q.kind));
  view.$('.on-span').hidden = !all.some(q => q.kind === 'span');
  view.$('.on-words').hidden = !all.some(q => q.kind === 'span' && q.of === 'summary');
  scores(view);
  feedback(view);
  preview(view);
  texts(view);
  questions(view);
}

function feedback(view) {
  const { feedback: shown } = view.component.data, box = view.$('.feedback');
  box.hidden = !shown;
  if (!shown) return;
  box.className = `feedback ${shown.right ? 'right' : 'wrong'}`;
  const expected = shown.expected.map(([ask, answer]) => make('p', '', `${ask} ${answer}`));
  box.replaceChildren(make('strong', '', shown.right ? '✓ Right.' : '✗ Not as expected.'), ...(shown.right ? [] : expected), make('p', '', shown.words));
}

function scores(view) {
  const { scores: rows } = view.component.data, box = view.$('.scores');
  box.hidden = !rows;
  if (!rows) return;
  const table = make('table');
  table.append(...[['Metric', 'Original', 'Edited'], ...rows].map((cells, i) => {
    const row = make('tr');
    row.append(...cells.map(cell => make(i ? 'td' : 'th', '', cell)));
    return row;
  }));
  const words = rows.length ? 'Your first label is kept as it is. Keep or change your answer with the scores in view: that is a second label.'
    : 'No metric was run on this item. Save again to go on.';
  box.replaceChildren(make('h3', '', 'What the metrics say'), ...(rows.length ? [table] : []), make('p', 'hint', words));
}
