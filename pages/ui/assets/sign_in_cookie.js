// Keeps the code of whoever is signed in, so that a reload needs no new link; sent to this server only.
export default function ({ data }) {
  const over = data.code ? '' : '; max-age=0';
  const safe = location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `${data.name}=${encodeURIComponent(data.code)}; path=/; samesite=strict${safe}${over}`;
}
