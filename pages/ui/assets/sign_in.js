/** @import { Component, SignInData } from './types.d.ts' */
import { finder } from './dom.js';

/**
 * Sends a code to the server, which answers with a cookie that no script reads; then the page is opened again, signed in.
 * @param {Component<SignInData>} component
 */
export default function ({ data, parentElement }) {
  const $ = finder(parentElement);
  const form = $('form'), input = $('input'), button = $('button'), problem = $('.problem');
  $('label').hidden = Boolean(data.code);
  input.required = !data.code;
  button.textContent = data.action;
  tell(data.problem);

  /** @param {string} words */
  function tell(words) {
    problem.textContent = words;
    problem.hidden = !words;
  }

  form.onsubmit = async event => {
    event.preventDefault();
    tell('');
    button.disabled = true;
    try {
      const answer = await fetch(data.path, { method: 'POST', body: data.code || input.value });
      if (answer.ok) {
        const address = new URL(location.href);
        address.searchParams.delete(data.parameter);
        location.replace(address);
        return;
      }
      tell((await answer.json()).problem);
    } catch {
      tell('The server cannot be reached. Try again.');
    }
    button.disabled = false;
  };
}
