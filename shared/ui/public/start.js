// Runs before all modules, and is a file of its own because the content security policy allows no inline script. It
// sets the colour scheme before the first paint, so that a dark screen does not flash white, and asks for the words of
// the language that will be shown (`preferredLanguage`). A page whose first files do not come whole would stay blank: it
// says so, and loads anew as soon as the server gives them.
(function () {
  var ASK_AGAIN_MS = 3_000;
  // For a file of half a megabyte over a slow line.
  var FILE_MS = 60_000;
  var stored = localStorage.getItem('causeway.scheme');
  var dark = stored === 'dark' || (stored !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');

  var language = localStorage.getItem('causeway.language') || navigator.language.toLowerCase().split('-')[0];
  var words = document.currentScript.dataset[language];
  if (words !== undefined) {
    var ahead = document.createElement('link');
    ahead.rel = 'modulepreload';
    ahead.href = words;
    document.head.append(ahead);
  }

  var isWaiting = false;
  function startAgain(missing) {
    if (isWaiting) return;
    isWaiting = true;
    var message = document.createElement('p');
    message.setAttribute('role', 'alert');
    message.textContent =
      language === 'ko'
        ? '화면을 다 불러오지 못했습니다. 서버가 응답하면 자동으로 다시 불러옵니다.'
        : 'The page did not load completely. It loads again as soon as the server answers.';
    (document.body || document.documentElement).prepend(message);
    window.setTimeout(ask, ASK_AGAIN_MS);
    function ask() {
      // A cut answer fails here too, because the whole body is read.
      fetch(missing, { cache: 'reload', signal: AbortSignal.timeout(FILE_MS) })
        .then(function (answer) {
          return answer.ok ? answer.arrayBuffer() : Promise.reject(new Error(answer.statusText));
        })
        .then(
          function () {
            window.location.reload();
          },
          function () {
            window.setTimeout(ask, ASK_AGAIN_MS);
          },
        );
    }
  }

  function isBlank() {
    var root = document.getElementById('root');
    return root === null || root.childElementCount === 0;
  }

  // What a screen loads later is the screen's own matter: it says so in its place.
  var first = [];
  document.addEventListener('readystatechange', function () {
    if (document.readyState === 'interactive')
      first = Array.from(document.querySelectorAll('script[src], link[rel=stylesheet]'));
  });
  window.addEventListener(
    'error',
    function (event) {
      // A file that came broken stays so in the browser's cache, for a year, until it is asked for anew.
      if (event.error instanceof SyntaxError && event.filename && isBlank()) startAgain(event.filename);
      var from = event.target;
      var isNeeded =
        from instanceof HTMLScriptElement || (from instanceof HTMLLinkElement && from.rel === 'stylesheet');
      if (isNeeded && (document.readyState === 'loading' || first.includes(from))) startAgain(from.src || from.href);
    },
    true,
  );
  // The build's loader names no file. The words are all that it loads before the first screen.
  window.addEventListener('vite:preloadError', function () {
    if (isBlank()) startAgain(words || window.location.href);
  });
})();
