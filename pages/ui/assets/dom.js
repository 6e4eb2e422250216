// What the components share: finding and making elements of their own markup.

/** @import { Find, Named } from './types.d.ts' */

/**
 * A function that finds an element which the markup below `root` surely has.
 * @param {ParentNode} root
 */
export const finder = root => /** @type {Find} */ (selector => root.querySelector(selector));

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 * @param {Record<string, string | number>} [attributes]
 */
export function element(tag, className = '', text = '', attributes = {}) {
  const node = document.createElement(tag);
  node.className = className;
  if (text) node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/**
 * Write a text where it is not written yet: a text that is replaced by itself loses the selection in it.
 * @param {Node} node
 * @param {string} text
 */
export function put(node, text) { if (node.textContent !== text) node.textContent = text; }

/**
 * @template {string} Selector
 * @param {ParentNode} root
 * @param {Selector} selector
 */
export const all = (root, selector) => /** @type {Named<Selector>[]} */ ([...root.querySelectorAll(selector)]);
