/** Loads the page again, which the server answers with the start: nothing of who signed out stays in the browser. */
export default function () {
  location.reload();
}
