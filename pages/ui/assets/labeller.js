const desks = new WeakMap();
const IDLE_MS = 30000, DRAFT_MS = 500, LOST_MS = 2000;
const ACTS = ['save', 'next', 'previous', 'undo', 'skip', 'flag'];
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel'];

export default function (component) {
  const root = component.parentElement;
  const desk = desks.get(root) ?? open(root);
  desk.component = component;
  receive(desk);
  // A render that is overtaken while its module loads is cleaned up although the component lives on.
  return () => { if (!root.host.isConnected) close(desk, root); };
}

function open(root) {
  const $ = selector => root.querySelector(selector);
  const desk = { $, root, answers: {}, active: 0, pending: null, act: '', pick: null, seq: 0, activeMs: 0, wallMs: 0 };
  desks.set(root, desk);
  for (const act of ACTS) $(`.${act}`).addEventListener('click', () => press(desk, act));
  $('.why').addEventListener('submit', event => { event.preventDefault(); give(desk); });
  $('.cancel').addEventListener('click', () => { $('.why').hidden = true; });
  $('.questions').addEventListener('submit', event => event.preventDefault());
  desk.onKey = event => key(desk, event);
  desk.onSign = () => tick(desk);
  desk.onSelect = () => remember(desk);
  document.addEventListener('keydown', desk.onKey);
  document.addEventListener('selectionchange', desk.onSelect);
  document.addEventListener('visibilitychange', desk.onSign);
  for (const sign of SIGNS) document.addEventListener(sign, desk.onSign, true);
  desk.watch = setInterval(() => sendAgain(desk), 500);
  return desk;
}

function close(desk, root) {
  clearTimeout(desk.timer);
  clearInterval(desk.watch);
  document.removeEventListener('keydown', desk.onKey);
  document.removeEventListener('selectionchange', desk.onSelect);
  document.removeEventListener('visibilitychange', desk.onSign);
  for (const sign of SIGNS) document.removeEventListener(sign, desk.onSign, true);
  desks.delete(root);
}

// Time is active while the page is seen and the last sign of life is less than half a minute old.
function tick(desk) {
  const now = performance.now();
  if (desk.seen) desk.activeMs += Math.min(now - desk.last, IDLE_MS);
  desk.seen = !document.hidden;
  desk.last = now;
}

const times = desk => {
  tick(desk);
  return { active_ms: Math.round(desk.activeMs), wall_ms: Math.round(desk.wallMs + performance.now() - desk.began) };
};

// A new stamp brings another task, or the same one once more. After a lost connection the session is a new one, and what
// was typed or pressed meanwhile is known only here: it stays and is sent again.
function receive(desk) {
  const { task, stamp, ack, problem, drafted } = desk.component.data;
  if (!desk.task) desk.seq = drafted;  // the session before counted so far
  if (drafted === desk.seq && desk.seq && !desk.timer) desk.$('.kept').textContent = '· draft kept';
  if (`${stamp} ${problem}` !== desk.told) desk.$('.problem').textContent = problem;
  desk.told = `${stamp} ${problem}`;
  if (stamp === desk.stamp) { texts(desk); preview(desk); return; }
  const lost = desk.pending && desk.pending.event_id !== ack, same = desk.task?.reservation === task.reservation;
  desk.stamp = stamp;
  if (lost && same) { emit(desk); return; }
  const answered = desk.pending;
  desk.pending = null;
  if (same && !answered && desk.touched) { desk.task = task; draw(desk); draft(desk); }
  else if (!problem) begin(desk, task);
  enable(desk);
}

function begin(desk, task) {
  desk.timer = clearTimeout(desk.timer);
  Object.assign(desk, { task, answers: structuredClone(task.answers), active: 0, pick: null, from: null, touched: task.changed, drawn: '' });
  Object.assign(desk, { began: performance.now(), activeMs: task.active_ms, wallMs: task.wall_ms, seen: false });
  tick(desk);
  desk.$('.why').hidden = true;
  desk.$('.kept').textContent = '';
  draw(desk);
  desk.$('.document .text').scrollTop = desk.$('.work').scrollTop = 0;
  // keys are heard at once, whichever widget brought the task
  if (!inDialog()) desk.$('.labeller').focus({ preventScroll: true });
}

const make = (tag, name = '', text = '') => Object.assign(document.createElement(tag), { className: name, textContent: text });

function draw(desk) {
  const { task, said, questions: all } = desk.component.data;
  desk.$('.where').textContent = task.place;
  desk.$('.said').textContent = said ? `· ${said}` : '';
  for (const node of desk.root.querySelectorAll('.on-text')) node.hidden = !all.some(q => ['text', 'edit'].includes(q.kind));
  desk.$('.on-span').hidden = !all.some(q => q.kind === 'span');
  desk.$('.on-words').hidden = !all.some(q => q.kind === 'span' && q.of === 'summary');
  scores(desk);
  feedback(desk);
  preview(desk);
  texts(desk);
  questions(desk);
}

function feedback(desk) {
  const { feedback: told } = desk.component.data, box = desk.$('.feedback');
  box.hidden = !told;
  if (!told) return;
  box.className = `feedback ${told.right ? 'right' : 'wrong'}`;
  const expected = told.expected.map(([ask, answer]) => make('p', '', `${ask} ${answer}`));
  box.replaceChildren(make('strong', '', told.right ? '✓ Right.' : '✗ Not as expected.'), ...(told.right ? [] : expected), make('p', '', told.words));
}

function scores(desk) {
  const { scores: rows } = desk.component.data, box = desk.$('.scores');
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
