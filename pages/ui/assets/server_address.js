// Streamlit asks below the address of a page first, whether a server is there, and the console shows two 404s for each.
// The server is where the scripts of the page are, whatever path a proxy puts before it.
// biome-ignore lint/style/useNamingConvention: both names are Streamlit's
window.__streamlit = { BACKEND_BASE_URL: new URL('.', location.href).href };
