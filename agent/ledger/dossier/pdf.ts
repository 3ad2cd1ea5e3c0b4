/**
 * What a PDF in a dossier must be, whoever has sent it: whole, of few pages, and without anything that a reader's program
 * would run, open or send. Whether it says what the page says cannot be checked: a server has no Chromium (D182).
 */

/** The most bytes of six pages with their fonts. */
export const MOST_PDF_BYTES = 12 * 1024 ** 2;
const MOST_PAGES = 6;
/** The end of a PDF stands in its last bytes. */
const END = 1_024;

/** Names that nothing printed needs; they are long enough not to occur in compressed bytes by chance. */
const ACTIVE =
  /\/(?:JavaScript|Launch|EmbeddedFiles?|RichMedia|SubmitForm|ImportData|GoToE|GoToR|AcroForm|OpenAction|Rendition)\b/;
/** Short ones, outside of streams alone. */
const SHORT = /\/(?:JS|AA|XFA)\b/;
/** Structure in compressed streams or under a password cannot be looked through. */
const HIDDEN = /\/(?:ObjStm|XRef|Encrypt)\b/;
const PAGE = /\/Type\s*\/Page\b/g;

/** The first thing that keeps a PDF out of a dossier, as a sentence; null: none. */
export function pdfFault(bytes: Uint8Array): string | null {
  if (bytes.length > MOST_PDF_BYTES)
    return `The PDF has ${bytes.length} bytes, and a dossier takes at most ${MOST_PDF_BYTES}.`;
  const all = Buffer.from(bytes).toString('latin1');
  const isWhole = /^%PDF-1\.\d[\r\n]/.test(all) && /\sstartxref\s+\d+\s+%%EOF\s*$/.test(all.slice(-END));
  // Another end belongs to an earlier version of the file, which a later one covers.
  if (!isWhole || all.indexOf('%%EOF') !== all.lastIndexOf('%%EOF'))
    return 'The PDF is not one whole file: it must begin with %PDF-1. and have its only %%EOF at its end.';
  const outside = plain(outsideOfStreams(all));
  const hidden = HIDDEN.exec(outside)?.[0];
  if (hidden !== undefined)
    return `The PDF has ${hidden}, so that its structure cannot be looked through: print it anew by the desktop program.`;
  const active = (ACTIVE.exec(plain(all)) ?? SHORT.exec(outside))?.[0];
  if (active !== undefined)
    return `The PDF has ${active}: a dossier takes no script, attached file, form or action in it.`;
  const pages = outside.match(PAGE)?.length ?? 0;
  if (pages < 1 || pages > MOST_PAGES) return `The PDF has ${pages} pages, and a dossier takes one to ${MOST_PAGES}.`;
  return null;
}

/** One pass: the file may come from anybody. */
function outsideOfStreams(all: string): string {
  const parts: string[] = [];
  const streams = /\bstream\r?\n/g;
  for (let from = 0; ;) {
    streams.lastIndex = from;
    const begin = streams.exec(all)?.index ?? -1;
    const end = begin < 0 ? -1 : all.indexOf('endstream', begin);
    if (end < 0) return [...parts, all.slice(from)].join(' ');
    parts.push(all.slice(from, begin));
    from = end + 'endstream'.length;
  }
}

/** A name may be spelled with codes: `/J#53` is `/JS`. */
const plain = (text: string): string =>
  text.replaceAll(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
