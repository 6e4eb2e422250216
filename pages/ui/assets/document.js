const panes = new WeakMap();

export default function ({ parentElement: root, data }) {
  const pane = panes.get(root) ?? open(root);
  pane.root.style.setProperty('--height', `${data.height}px`);
  const marks = JSON.stringify(data.parts);
  if (pane.text === data.text && pane.marks === marks) return;
  draw(pane, data.text, data.parts);
  pane.text = data.text;
  pane.marks = marks;
}

function open(root) {
  const $ = selector => root.querySelector(selector);
  const pane = { root: $('.document'), box: $('.pane'), words: $('.text'), up: $('.up'), down: $('.down'), evidence: [] };
  panes.set(root, pane);
  pane.box.addEventListener('scroll', () => point(pane), { passive: true });
  pane.up.addEventListener('click', () => show(pane.box, pane.above));
  pane.down.addEventListener('click', () => show(pane.box, pane.below));
  new ResizeObserver(() => point(pane)).observe(pane.box);
  return pane;
}

function draw(pane, text, parts) {
  const shown = JSON.stringify(parts.filter(part => part.kinds.includes('evidence')));
  const [same, moved] = [pane.text === text, pane.text !== text || pane.shown !== shown];
  const top = same ? pane.box.scrollTop : 0;
  pane.words.replaceChildren(...parts.flatMap((part, i) => nodes(part, text.slice(part.start, parts[i + 1]?.start))));
  pane.words.classList.toggle('empty', !text.trim());
  pane.evidence = [...pane.words.querySelectorAll('mark')];
  pane.shown = shown;
  pane.box.scrollTop = top;
  const seen = point(pane);
  if (moved && !seen && pane.evidence.length) show(pane.box, pane.evidence[0]);
}

function nodes({ kinds, labels }, words) {
  const tags = labels.map(([kind, text]) => tag(kind, text));
  if (kinds.includes('evidence')) return [...tags, element('mark', 'evidence', words)];
  if (kinds.includes('unread')) return [...tags, element('span', 'unread', words)];
  return [...tags, document.createTextNode(words)];
}

function element(name, kind, words) {
  const node = document.createElement(name);
  node.className = kind;
  node.textContent = words;
  return node;
}

// CSS prints the label, so that copying takes the document's own words only.
function tag(kind, text) {
  const node = element('span', `tag ${kind}`, '');
  node.dataset.label = text;
  return node;
}

function show(box, part) {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const top = box.scrollTop + place(box, part).top - box.clientHeight / 4;
  box.scrollTo({ top, behavior: calm ? 'auto' : 'smooth' });
}

function place(box, part) {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  return { top: inner.top - outer.top, bottom: inner.bottom - outer.top };
}

// Points to evidence that is off screen; says whether any can be seen.
function point(pane) {
  const edge = 8, { box, evidence, up, down } = pane;
  const places = evidence.map(part => ({ part, ...place(box, part) }));
  const above = places.filter(({ bottom }) => bottom <= edge);
  const below = places.filter(({ top }) => top >= box.clientHeight - edge);
  const seen = above.length + below.length < places.length;
  pane.above = above.at(-1)?.part;
  pane.below = below[0]?.part;
  up.hidden = seen || !pane.above;
  down.hidden = seen || !pane.below;
  return seen;
}
