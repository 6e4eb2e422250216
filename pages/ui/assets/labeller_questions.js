// The questions that come up after what was answered so far, and the answers to them.

const open_ones = view => view.component.data.questions.filter(question =>
  Object.entries(question.when).every(([id, values]) => values.includes(view.answers[id])));

const locked = view => view.mode === 'feedback';

function questions(view) {
  const asked = open_ones(view), focused = view.root.activeElement;
  const place = [focused?.closest('fieldset')?.dataset.question, focused?.dataset?.place ?? ''];
  view.active = Math.max(0, Math.min(view.active, asked.length - 1));
  view.$('.questions').replaceChildren(...asked.map((question, i) => field(view, question, i)));
  if (place[0]) view.$(`fieldset[data-question="${place[0]}"] [data-place="${place[1]}"]`)?.focus();
}

function field(view, question, at) {
  const box = make('fieldset', at === view.active ? 'active' : '');
  box.dataset.question = question.id;
  box.disabled = locked(view);
  box.append(make('legend', '', question.required ? question.ask : `${question.ask} (optional)`));
  box.append({ choice: options, several: options, scale: options, text: writing, edit: writing, span: passages, link: passages }[question.kind](view, question, at));
  if (question.hint) box.append(make('p', 'hint', question.hint));
  box.addEventListener('focusin', () => activate(view, at));
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

function options(view, question, at) {
  const row = make('div', 'options');
  choices(question).forEach(({ value, text, means }, i) => {
    const made = button(text, i, () => choose(view, question, value, at));
    made.title = means ?? '';
    if (question.kind === 'scale') made.querySelector('kbd')?.remove();
    made.setAttribute('aria-pressed', chosen(view, question, value));
    row.append(made);
  });
  const picked = choices(question).find(({ value, means }) => means && chosen(view, question, value));
  if (picked) row.append(make('p', 'hint', picked.means));
  return row;
}

function chosen(view, question, value) {
  const answer = view.answers[question.id];
  return question.kind === 'several' ? (answer ?? []).includes(value) : answer === value;
}

function choose(view, question, value, at) {
  if (view.pending || locked(view)) return;
  const before = view.answers[question.id] ?? [], several = question.kind === 'several';
  view.answers[question.id] = !several ? value : before.includes(value) ? before.filter(one => one !== value) : [...before, value];
  if (!several) view.active = at + 1;
  redraw(view);
  view.$('fieldset.active')?.scrollIntoView({ block: 'nearest' });
}

function writing(view, question) {
  const box = make('textarea', question.kind);
  box.setAttribute('aria-label', question.ask);
  box.dataset.place = 0;
  box.dir = 'auto';
  box.maxLength = 200000;
  box.value = view.answers[question.id] ?? (question.kind === 'edit' ? view.task.summary : '');
  box.addEventListener('input', () => { view.answers[question.id] = box.value; changed(view); });
  box.addEventListener('keydown', event => {
    // the app's own shortcuts must not hear what is typed
    event.stopPropagation();
    if (event.key === 'Escape') view.$('.labeller').focus({ preventScroll: true });
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); press(view, 'save'); }
  });
  return box;
}

function passages(view, question) {
  const row = make('div', 'options');
  (view.answers[question.id] ?? []).forEach((span, i) => {
    const words = question.kind === 'link' ? `${quote_in(view, 'summary', span.claim)} ← ${quote_in(view, 'document', span.evidence)}` : quote_of(view, question, span);
    const made = button(`${words} ×`, i, () => drop(view, question, i));
    made.title = 'Remove this passage';
    row.append(made);
  });
  const half = question.kind === 'link' ? view.half : null;
  if (half) row.append(make('span', 'half', `${quote_in(view, 'summary', half)} ← choose its passage in the document`));
  const add = make('button', 'add', question.kind === 'link' && !half ? 'Mark a claim' : question.kind === 'link' ? 'Mark its passage' : 'Mark the chosen words');
  add.type = 'button';
  add.append(make('kbd', '', 'M'));
  add.addEventListener('click', () => mark(view));
  row.append(add);
  return row;
}

function quote_of(view, question, span) {
  return quote(panes(view).find(one => one.dataset.of === question.of && here(one, span)), span);
}

const quote_in = (view, of, span) => quote(panes(view).find(one => one.dataset.of === of), span);

function quote(pane, span) {
  const found = Array.from(pane.textContent).slice(span[0], span[1]).join('');
  return found.length > 60 ? `${found.slice(0, 60)}…` : found;
}

function drop(view, question, i) {
  if (view.pending || locked(view)) return;
  view.answers[question.id] = (view.answers[question.id] ?? []).filter((_, j) => j !== i);
  redraw(view);
}

function redraw(view) { changed(view); marks(view); questions(view); }

function activate(view, at) {
  view.active = at;
  [...view.$('.questions').children].forEach((box, i) => box.classList.toggle('active', i === at));
}

// The change by itself, where it can be seen however long the texts are.
function preview(view) {
  const { preview: known, task } = view.component.data, shown = same(view, task) ? known : null, box = view.$('.preview');
  box.hidden = !shown;
  if (shown) box.replaceChildren(...nodes(shown.pieces, [], []), make('strong', '', shown.refusal));
}

function changed(view) {
  view.touched = view.unsaved = true;
  store(view);
  view.$('.problem').textContent = view.$('.kept').textContent = '';
  draft(view);
}

function draft(view) {
  clearTimeout(view.timer);
  if (view.outbox.length) return;  // what was pressed before comes first
  view.timer = setTimeout(() => {
    Object.assign(view, { timer: 0, sentAt: performance.now() });  // nothing is typed that is not on its way
    view.seq += 1;
    view.component.setStateValue('draft', { reservation: view.task.reservation, answers: view.answers, seq: view.seq, ...times(view) });
  }, DRAFT_MS);
}
