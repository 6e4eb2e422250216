// Where a step points: its target on the page, in view, with the ring around it and the card beside it.

/** @import { Tour } from './types.d.ts' */

const MARGIN = 6, GAP = 12, EDGE = 12; // pixels around what is pointed at, to the card, to the edge of the window
const NARROW = 640; // below this the card lies at the bottom
const LOOK_MS = 200;

/** @param {Tour} tour */
export function placeStep(tour) {
  const step = tour.steps[tour.at], isOnPage = step.page === tour.component.data.page;
  const target = isOnPage ? findTarget(step.target) : null;
  const now = Date.now();
  if (target && target !== tour.target) Object.assign(tour, { target, targetSince: now, lookedAt: 0 });
  // a page that still grows may take it away again, or under the panes that stay in view
  if (target && !tour.scrolled && now - tour.lookedAt > LOOK_MS) {
    tour.lookedAt = now;
    if (!isVisible(tour, target)) reveal(tour, target);
  }
  const box = target?.getBoundingClientRect();
  const ring = tour.$('.ring');
  ring.style.visibility = box ? 'visible' : 'hidden';
  if (box) setBox(ring, box.left - MARGIN, box.top - MARGIN, box.width + 2 * MARGIN, box.height + 2 * MARGIN);
  const [left, top] = cardPlace(tour.$('.card').getBoundingClientRect(), box, Boolean(step.done));
  setBox(tour.$('.card'), left, top);
}

/** @param {string} path */
export function findTarget(path) {
  if (!path) return undefined;
  const [outside, inside] = path.split(' >>> ');
  const node = [...document.querySelectorAll(outside)].find(node => node.getClientRects().length);
  if (!node || !inside) return node;
  const host = [node, ...node.querySelectorAll('*')].find(node => node.shadowRoot?.querySelector(inside));
  const part = host?.shadowRoot?.querySelector(inside);
  return part?.getClientRects().length ? part : undefined;
}

/**
 * Scroll to where nothing lies over the target.
 * @param {Tour} tour
 * @param {Element} target
 */
function reveal(tour, target) {
  const tall = target.getBoundingClientRect().height > innerHeight / 2;
  /** @type {ScrollLogicalPosition[]} */
  const blocks = tall ? ['start'] : innerWidth < NARROW ? ['center', 'start'] : ['center', 'start', 'end'];
  for (const block of blocks) {
    target.scrollIntoView({ block, inline: innerWidth < NARROW ? 'center' : 'nearest', behavior: 'instant' });
    if (isVisible(tour, target)) return;
  }
}

/**
 * Whether the target is what is seen at three heights of it, of a tall one at its top, and on a narrow screen not below the card.
 * @param {Tour} tour
 * @param {Element} target
 */
function isVisible(tour, target) {
  const { left, top, width, height } = target.getBoundingClientRect();
  const tall = height > innerHeight / 2, shares = tall ? [.02, .2] : [.1, .5, .9];
  if (innerWidth < NARROW && !tall && top + height > tour.$('.card').getBoundingClientRect().top) return false;
  const x = (Math.max(0, left) + Math.min(innerWidth, left + width)) / 2; // of a table, the middle of what is on the screen
  return shares.every(share => isOnTop(tour, target, x, top + share * height));
}

/**
 * Whether the topmost element at this point, the tour's own apart, is the target or part of it.
 * @param {Tour} tour
 * @param {Element} target
 * @param {number} x
 * @param {number} y
 */
function isOnTop(tour, target, x, y) {
  let node = document.elementsFromPoint(x, y).find(element => !element.contains(tour.root.host) && !tour.root.host.contains(element)) ?? null;
  while (node?.shadowRoot?.elementFromPoint(x, y)) {
    const inner = node.shadowRoot.elementFromPoint(x, y);
    if (inner === node) break;
    node = inner;
  }
  /** @type {Node | null} */
  let outer = node;
  while (outer && outer !== target) outer = outer instanceof ShadowRoot ? outer.host : outer.parentNode;
  return outer === target;
}

/**
 * Below the target, above it, or beside it, wherever there is room; else in the corner. Where something is to be done, below comes
 * last: there the lists of the target open.
 * @param {DOMRect} card
 * @param {DOMRect|undefined} box
 * @param {boolean} isDone - whether something is to be done in the target
 */
function cardPlace(card, box, isDone) {
  const right = innerWidth - card.width - EDGE, bottom = innerHeight - card.height - EDGE;
  if (!box || innerWidth < NARROW) return [Math.max(EDGE, right), bottom];
  const left = Math.min(Math.max(EDGE, box.left), right), top = Math.min(Math.max(EDGE, box.top), bottom);
  const away = MARGIN + GAP;
  const below = box.bottom + away <= bottom && box.bottom > 0 ? [left, box.bottom + away] : null;
  if (below && !isDone) return below;
  if (box.top - away - card.height >= EDGE && box.top < innerHeight) return [left, box.top - away - card.height];
  if (box.right + away <= right) return [box.right + away, top];
  if (box.left - away - card.width >= EDGE) return [box.left - away - card.width, top];
  return below ?? [right, bottom];
}

/**
 * @param {HTMLElement} node
 * @param {number} left
 * @param {number} top
 * @param {number|undefined} [width]
 * @param {number|undefined} [height]
 */
function setBox(node, left, top, width, height) {
  for (const [name, value] of Object.entries({ left, top, width, height })) {
    const length = value === undefined ? '' : `${Math.round(value)}px`;
    if (node.style.getPropertyValue(name) !== length) node.style.setProperty(name, length);
  }
}
