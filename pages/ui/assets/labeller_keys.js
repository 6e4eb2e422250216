// Keys and presses: one press is one event; while it is under way nothing else can be sent.

const typing = event => event.composedPath().some(node => node.matches?.('input, textarea, select, [contenteditable=true]'));

const inDialog = () => document.querySelector('[role=dialog]') !== null;

const NAMED = { n: 'next', p: 'previous', u: 'undo', s: 'skip', f: 'flag' };

function key(desk, event) {
  if (event.key === 'Escape' && !desk.$('.why').hidden) { desk.$('.why').hidden = true; return; }
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || inDialog()) return;
  const at = event.composedPath()[0];
  if (['Enter', ' '].includes(event.key) && at.matches?.('button, a, summary, [role=tab], [role=option], [role=radio]')) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (heard(desk, event, name, at)) event.preventDefault();
}

function heard(desk, event, name, at) {
  const asked = open_ones(desk), arrow = /^Arrow/.test(name);
  if (arrow && at.dataset?.of) return receiver(desk, at) ? (walk(desk, at, event), true) : false;
  if (name === 'ArrowUp' || name === 'ArrowDown') { step(desk, asked, name === 'ArrowDown' ? 1 : -1); return true; }
  if (event.repeat) return false;
  if (name === 'Escape' && at.dataset?.of) { leave(desk); return true; }
  if (/^[0-9]$/.test(name)) return number(desk, asked[desk.active], (Number(name) + 9) % 10);
  if (name === 'd' || name === 'w') { look(desk, name === 'd' ? 'document' : 'summary'); return true; }
  if (name === 't') { write(desk, asked); return true; }
  if (name === 'm' || (name === 'Enter' && at.dataset?.of && desk.pick)) { mark(desk); return true; }
  if (name === 'Enter') { press(desk, 'save'); return true; }
  if (name in NAMED) { press(desk, NAMED[name]); return true; }
  return false;
}

function step(desk, asked, by) {
  activate(desk, Math.max(0, Math.min(asked.length - 1, desk.active + by)));
  desk.$('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

function number(desk, question, i) {
  if (question?.kind === 'span') { drop(desk, question, i); return true; }
  const choice = question && choices(question)[i];
  if (!choice) return false;
  choose(desk, question, choice.value, desk.active);
  return true;
}

function write(desk, asked) {
  const at = asked.findIndex((question, i) => i >= desk.active && ['text', 'edit'].includes(question.kind));
  desk.$('.questions').children[at]?.querySelector('textarea').focus();
}

function press(desk, act) {
  const { mode } = desk.component.data;
  const going = act === 'save' && (mode === 'feedback' || (mode === 'again' && !desk.touched)) ? 'next' : act;
  if (desk.pending || desk.$(`.${going}`).disabled) return;
  if (going === 'skip' || going === 'flag') ask(desk, going);
  else if (going !== 'save') send(desk, going, '');
  else if (complete(desk)) send(desk, 'answer', '');
}

function ask(desk, act) {
  desk.act = act;
  desk.$('.why').hidden = false;
  desk.$('.why label span').textContent = act === 'skip' ? 'Why do you skip it?' : 'What is wrong with it?';
  desk.$('.why input').value = '';
  desk.$('.why input').focus();
}

function give(desk) {
  const reason = desk.$('.why input').value.trim();
  if (reason) send(desk, desk.act, reason);
}

function complete(desk) {
  const empty = answer => answer === undefined || answer === '' || answer?.length === 0;
  const missing = open_ones(desk).findIndex(question => question.required && empty(desk.answers[question.id]));
  if (missing < 0) return true;
  const asked = open_ones(desk)[missing];
  desk.$('.problem').textContent = `“${asked.ask}” is not answered yet.`;
  activate(desk, missing);
  desk.$('fieldset.active').scrollIntoView({ block: 'nearest' });
  return false;
}

function send(desk, act, reason) {
  desk.timer = clearTimeout(desk.timer);
  const answers = Object.fromEntries(open_ones(desk).filter(q => q.id in desk.answers).map(q => [q.id, desk.answers[q.id]]));
  desk.pending = { reservation: desk.task.reservation, act, reason, event_id: id(), answers, seq: desk.seq, touched: desk.touched, ...times(desk) };
  desk.$('.problem').textContent = '';
  enable(desk);
  emit(desk);
}

function emit(desk) {
  desk.sentAt = performance.now();
  desk.component.setTriggerValue('sent', desk.pending);
}

const app = () => document.querySelector('[data-testid="stApp"]')?.dataset;

// A click elsewhere may end the run that would have brought the receipt. The same event is known where it was kept.
function sendAgain(desk) {
  const idle = app()?.testScriptState === 'notRunning' && app()?.testConnectionState === 'CONNECTED';
  if (desk.pending && idle && performance.now() - desk.sentAt > LOST_MS) emit(desk);
}

const id = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

function enable(desk) {
  const { can, mode } = desk.component.data, going = mode === 'feedback';
  for (const act of ACTS) desk.$(`.${act}`).disabled = Boolean(desk.pending) || !can[act];
  desk.$('.save').hidden = going;
  desk.$('.next').hidden = !can.next;
  desk.$('.next').classList.toggle('main', going);
  desk.$('.next kbd').textContent = going ? 'Enter' : 'N';
  desk.$('.save span').textContent = desk.pending ? 'Saving…' : mode === 'revealed' ? 'Save again' : 'Save';
  desk.$('.undo span').textContent = mode === 'again' ? 'Undo this' : 'Undo last';
}
