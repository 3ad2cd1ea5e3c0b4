/**
 * Prints the page of a dossier by the desktop program. The page becomes a part of the console's own for a moment, in a
 * shadow tree without scripts, so that the program needs no other window, and the console's Korean font is embedded.
 */

/** While it is there, nothing else is printed; on the screen it stands outside of the view, where its fonts load. */
const ALONE = `@media print { body > :not([data-dossier]) { display: none !important } }
@media screen { [data-dossier] { position: fixed; top: 0; left: -300vw; width: 180mm } }`;

/** In base64; null where the page runs in a browser, or in an older program. */
export async function printedDossier(html: string): Promise<string | null> {
  const print = window.causewayProgram?.printPdf;
  if (print === undefined) return null;
  const page = new DOMParser().parseFromString(html, 'text/html');
  const host = document.createElement('div');
  host.dataset['dossier'] = '';
  const root = host.attachShadow({ mode: 'closed' });
  root.adoptedStyleSheets = [sheetOf(page.querySelector('style')?.textContent ?? '')];
  root.append(...page.body.childNodes);
  const alone = sheetOf(ALONE);
  document.adoptedStyleSheets.push(alone);
  document.body.append(host);
  // The PDF takes both from the document.
  const { title } = document;
  const { lang } = document.documentElement;
  document.title = page.title;
  document.documentElement.lang = page.documentElement.lang;
  try {
    // The layout asks for the fonts.
    host.getBoundingClientRect();
    await document.fonts.ready;
    return base64Of(await print());
  } finally {
    host.remove();
    document.title = title;
    document.documentElement.lang = lang;
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== alone);
  }
}

function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  // More arguments than a call takes would fail.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}
