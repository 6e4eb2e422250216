/** @import { Component, DocumentData, DocumentPane, DocumentPart } from './types.d.ts' */
import { findAgain, listenToFind } from './document_find.js';
import { all, element, finder } from './dom.js';

/** @type {WeakMap<ShadowRoot, DocumentPane>} */
const panes = new WeakMap();

/** @param {Component<DocumentData>} component */
export default function ({ parentElement: root, data }) {
  const pane = panes.get(root) ?? open(root);
  pane.root.style.setProperty('--height', `${data.height}px`);
  const marks = JSON.stringify(data.parts);
  if (pane.text === data.text && pane.marks === marks) return;
  draw(pane, data.text, data.parts);
  pane.text = data.text;
  pane.marks = marks;
  findAgain(pane);
}

/** @param {ShadowRoot} root */
function open(root) {
  const $ = finder(root);
  /** @type {DocumentPane} */
  const pane = {
    root: $('.document'), box: $('.pane'), words: $('.text'), up: $('button.up'), down: $('button.down'), evidence: [],
    above: undefined, below: undefined, text: null, marks: '', shownEvidence: '',
    find: $, ranges: [], at: 0, keys: () => undefined,
  };
  panes.set(root, pane);
  pane.box.addEventListener('scroll', () => point(pane), { passive: true });
  pane.up.addEventListener('click', () => { if (pane.above) show(pane.box, pane.above); });
  pane.down.addEventListener('click', () => { if (pane.below) show(pane.box, pane.below); });
  new ResizeObserver(() => point(pane)).observe(pane.box);
  listenToFind(pane, root);
  return pane;
}

/** @param {DocumentPane} pane @param {string} text @param {DocumentPart[]} parts */
function draw(pane, text, parts) {
  const evidence = JSON.stringify(parts.filter(part => part.kinds.includes('evidence')));
  const [same, moved] = [pane.text === text, pane.text !== text || pane.shownEvidence !== evidence];
  const top = same ? pane.box.scrollTop : 0;
  pane.words.replaceChildren(...parts.flatMap((part, i) => nodes(part, text.slice(part.start, parts[i + 1]?.start))));
  pane.words.classList.toggle('empty', !text.trim());
  pane.evidence = all(pane.words, 'mark');
  pane.shownEvidence = evidence;
  pane.box.scrollTop = top;
  const isEvidenceVisible = point(pane);
  if (moved && !isEvidenceVisible && pane.evidence.length) show(pane.box, pane.evidence[0]);
}

/** @param {DocumentPart} part @param {string} words */
function nodes({ kinds, labels }, words) {
  const tags = labels.map(([kind, text]) => tag(kind, text));
  if (kinds.includes('evidence')) return [...tags, element('mark', 'evidence', words)];
  if (kinds.includes('unread')) return [...tags, element('span', 'unread', words)];
  return [...tags, document.createTextNode(words)];
}

/**
 * CSS prints the label, so that copying takes the document's own words only.
 * @param {string} kind
 * @param {string} text
 */
function tag(kind, text) {
  const node = element('span', `tag ${kind}`);
  node.dataset.label = text;
  return node;
}

/** @param {HTMLElement} box @param {HTMLElement} part */
function show(box, part) {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const top = box.scrollTop + place(box, part).top - box.clientHeight / 4;
  box.scrollTo({ top, behavior: calm ? 'auto' : 'smooth' });
}

/** @param {HTMLElement} box @param {HTMLElement} part */
function place(box, part) {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  return { top: inner.top - outer.top, bottom: inner.bottom - outer.top };
}

/**
 * Points to evidence that is off screen; says whether any can be seen.
 * @param {DocumentPane} pane
 */
function point(pane) {
  const edge = 8, { box, evidence, up, down } = pane;
  const places = evidence.map(part => ({ part, ...place(box, part) }));
  const above = places.filter(({ bottom }) => bottom <= edge);
  const below = places.filter(({ top }) => top >= box.clientHeight - edge);
  const isEvidenceVisible = above.length + below.length < places.length;
  pane.above = above.at(-1)?.part;
  pane.below = below[0]?.part;
  up.hidden = isEvidenceVisible || !pane.above;
  down.hidden = isEvidenceVisible || !pane.below;
  return isEvidenceVisible;
}
