// Sends a code to the server, which answers with a cookie that no script reads; then the page is opened again, signed in.
export default function ({ data, parentElement }) {
  const form = parentElement.querySelector('form');
  const input = form.querySelector('input');
  const button = form.querySelector('button');
  const problem = form.querySelector('.problem');
  form.querySelector('label').hidden = Boolean(data.code);
  input.required = !data.code;
  button.textContent = data.action;
  tell(data.problem);

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
