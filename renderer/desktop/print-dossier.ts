/**
 * Prints the page in a dossier by the desktop program, for a PDF beside it (D182). The page becomes a part of the console's own for a moment, in a
 * shadow tree without scripts, so that the program needs no other window, and the console's Korean font is embedded.
 */

import { unzipSync } from 'fflate';

/** The file of a dossier that people read. */
const PAGE = 'dossier.html';

/** While it is there, nothing else is printed; on the screen it stands outside of the view, where its fonts load. */
const ALONE = `@media print { body > :not([data-dossier]) { display: none !important } }
@media screen { [data-dossier] { position: fixed; top: 0; left: -300vw; width: 180mm } }`;

/** The PDF of the page in this dossier; null where the console runs in a browser. */
export async function printedDossier(dossier: Blob): Promise<Blob | null> {
  const print = window.causewayProgram?.printPdf;
  if (print === undefined) return null;
  const files = unzipSync(new Uint8Array(await dossier.arrayBuffer()), { filter: ({ name }) => name === PAGE });
  const page = new DOMParser().parseFromString(new TextDecoder().decode(files[PAGE]), 'text/html');
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
    return new Blob([Uint8Array.from(await print())], { type: 'application/pdf' });
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
