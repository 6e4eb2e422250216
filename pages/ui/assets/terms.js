// Terms of the glossary inside a component: a heading is a link to its term, whose definition shows where it is pointed at.

/** @import { GlossaryTerm } from './types.d.ts' */
import { element } from './dom.js';

const GAP_PX = 6;

/**
 * Let the text of a heading lead to a term; the definition lies over everything, as the tables are in frames that scroll.
 * @param {HTMLElement} root - that the definition is put into
 * @param {HTMLElement} heading
 * @param {GlossaryTerm} term
 */
export function markTerm(root, heading, term) {
  const id = `term-${term.anchor}`;
  const link = element('a', 'term', heading.textContent ?? '', { href: term.address, target: '_blank', 'aria-describedby': id });
  /** @type {HTMLElement} */
  const tip = root.querySelector(`#${id}`) ?? definition(id, term);
  if (tip.isConnected) hideTip(tip); // a heading that is drawn again is left by no pointer
  else root.append(tip);
  heading.removeAttribute('title');
  heading.replaceChildren(link);
  for (const kind of ['pointerenter', 'focus']) link.addEventListener(kind, () => { showTip(tip, link); });
  for (const kind of ['pointerleave', 'blur', 'click']) link.addEventListener(kind, () => { hideTip(tip); });
  link.addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(tip); });
}

/** @param {string} id @param {GlossaryTerm} term */
function definition(id, { name, sentence, example, source }) {
  const tip = element('div', 'tip', '', { id, role: 'tooltip', popover: 'manual' });
  tip.append(element('b', '', name), element('span', '', sentence), element('i', '', example), element('small', '', source));
  return tip;
}

/** @param {HTMLElement} tip @param {HTMLElement} link */
function showTip(tip, link) {
  if (!tip.matches(':popover-open')) tip.showPopover();
  const { left, top, bottom } = link.getBoundingClientRect(), { width, height } = tip.getBoundingClientRect();
  const below = bottom + GAP_PX + height <= innerHeight;
  tip.style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - width - GAP_PX))}px`;
  tip.style.top = `${below ? bottom + GAP_PX : Math.max(GAP_PX, top - GAP_PX - height)}px`;
}

/** @param {HTMLElement} tip */
function hideTip(tip) { if (tip.matches(':popover-open')) tip.hidePopover(); }
