// The questions that come up after what was answered so far, and the answers to them.

const open_ones = desk => desk.component.data.questions.filter(question =>
  Object.entries(question.when).every(([id, values]) => values.includes(desk.answers[id])));

const locked = desk => desk.component.data.mode === 'feedback';

function questions(desk) {
  const asked = open_ones(desk), focused = desk.root.activeElement;
  const place = [focused?.closest('fieldset')?.dataset.question, focused?.dataset?.place ?? ''];
  desk.active = Math.max(0, Math.min(desk.active, asked.length - 1));
  desk.$('.questions').replaceChildren(...asked.map((question, i) => field(desk, question, i)));
  if (place[0]) desk.$(`fieldset[data-question="${place[0]}"] [data-place="${place[1]}"]`)?.focus();
}

function field(desk, question, at) {
  const box = make('fieldset', at === desk.active ? 'active' : '');
  box.dataset.question = question.id;
  box.disabled = locked(desk);
  box.append(make('legend', '', question.required ? question.ask : `${question.ask} (optional)`));
  box.append({ choice: options, several: options, scale: options, text: writing, edit: writing, span: passages }[question.kind](desk, question, at));
  if (question.hint) box.append(make('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(desk, at));
  return box;
}

const choices = question => question.kind === 'scale'
  ? Array.from({ length: question.high - question.low + 1 }, (_, i) => ({ value: question.low + i, text: `${question.low + i}` }))
  : question.options;

function button(words, place, press) {
  const made = make('button', '', words);
  made.type = 'button';
  made.dataset.place = place;
  made.addEventListener('click', press);
  if (place < 10) made.append(make('kbd', '', (place + 1) % 10));
  return made;
}

function options(desk, question, at) {
  const row = make('div', 'options');
  choices(question).forEach(({ value, text, means }, i) => {
    const made = button(text, i, () => choose(desk, question, value, at));
    made.title = means ?? '';
    if (question.kind === 'scale') made.querySelector('kbd')?.remove();
    made.setAttribute('aria-pressed', chosen(desk, question, value));
    row.append(made);
  });
  const picked = choices(question).find(({ value, means }) => means && chosen(desk, question, value));
  if (picked) row.append(make('p', 'hint', picked.means));
  return row;
}

function chosen(desk, question, value) {
  const answer = desk.answers[question.id];
  return question.kind === 'several' ? (answer ?? []).includes(value) : answer === value;
}

function choose(desk, question, value, at) {
  if (desk.pending || locked(desk)) return;
  const before = desk.answers[question.id] ?? [], several = question.kind === 'several';
  desk.answers[question.id] = !several ? value : before.includes(value) ? before.filter(one => one !== value) : [...before, value];
  if (!several) desk.active = at + 1;
  redraw(desk);
  desk.$('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

function writing(desk, question) {
  const box = make('textarea', question.kind);
  box.setAttribute('aria-label', question.ask);
  box.dataset.place = 0;
  box.dir = 'auto';
  box.maxLength = 200000;
  box.value = desk.answers[question.id] ?? (question.kind === 'edit' ? desk.task.summary : '');
  box.addEventListener('input', () => { desk.answers[question.id] = box.value; changed(desk); });
  box.addEventListener('keydown', event => {
    // the app's own shortcuts must not hear what is typed
    event.stopPropagation();
    if (event.key === 'Escape') desk.$('.labeller').focus({ preventScroll: true });
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); press(desk, 'save'); }
  });
  return box;
}

function passages(desk, question) {
  const row = make('div', 'options');
  (desk.answers[question.id] ?? []).forEach((span, i) => {
    const made = button(`${said_at(desk, question, span)} ×`, i, () => drop(desk, question, i));
    made.title = 'Remove this passage';
    row.append(made);
  });
  const add = make('button', 'add', 'Mark the chosen words');
  add.type = 'button';
  add.append(make('kbd', '', 'M'));
  add.addEventListener('click', () => mark(desk));
  row.append(add);
  return row;
}

function said_at(desk, question, span) {
  const pane = panes(desk).find(one => one.dataset.of === question.of && here(one, span));
  const found = Array.from(pane.textContent).slice(span[0], span[1]).join('');
  return found.length > 60 ? `${found.slice(0, 60)}…` : found;
}

function drop(desk, question, i) {
  if (desk.pending || locked(desk)) return;
  desk.answers[question.id] = (desk.answers[question.id] ?? []).filter((_, j) => j !== i);
  redraw(desk);
}

function redraw(desk) { changed(desk); marks(desk); questions(desk); }

function activate(desk, at) {
  desk.active = at;
  [...desk.$('.questions').children].forEach((box, i) => box.classList.toggle('active', i === at));
}

// The change by itself, where it can be seen however long the texts are.
function preview(desk) {
  const { preview: told } = desk.component.data, box = desk.$('.preview');
  box.hidden = !told;
  if (told) box.replaceChildren(...nodes(told.pieces, [], []), make('strong', '', told.refusal));
}

function changed(desk) {
  desk.touched = true;
  desk.$('.problem').textContent = desk.$('.kept').textContent = '';
  draft(desk);
}

function draft(desk) {
  clearTimeout(desk.timer);
  desk.timer = setTimeout(() => {
    desk.timer = 0;  // nothing is typed that is not on its way
    desk.seq += 1;
    desk.component.setStateValue('draft', { reservation: desk.task.reservation, answers: desk.answers, seq: desk.seq, ...times(desk) });
  }, DRAFT_MS);
}
