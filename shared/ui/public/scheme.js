// Sets the colour scheme before the first paint, so that a dark screen does not flash white, and asks for the words of
// the language that will be shown (`preferredLanguage`). A file of its own, because the content security policy allows
// no inline script.
(function () {
  var stored = localStorage.getItem('causeway.scheme');
  var dark = stored === 'dark' || (stored !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');

  var language = localStorage.getItem('causeway.language') || navigator.language.toLowerCase().split('-')[0];
  var words = document.currentScript.dataset[language];
  if (words === undefined) return;
  var ahead = document.createElement('link');
  ahead.rel = 'modulepreload';
  ahead.href = words;
  document.head.append(ahead);
})();
