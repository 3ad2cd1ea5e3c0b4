// Sets the colour scheme before the first paint, so that a dark screen does not flash white.
// A file of its own, because the content security policy allows no inline script.
(function () {
  var stored = localStorage.getItem('causeway.scheme');
  var dark = stored === 'dark' || (stored !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
