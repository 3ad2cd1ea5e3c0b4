/** A PDF from outside comes into a dossier only where it is whole, short and does nothing. */
import { expect, test } from 'vitest';
import { smallPdf } from '../../../test/support/small-pdf.ts';
import { MOST_PDF_BYTES, pdfFault } from './pdf.ts';

const changed = (from: string, to: string): Buffer => Buffer.from(smallPdf().toString().replace(from, to));

test('a whole PDF of one to six pages is taken', () => {
  expect(pdfFault(smallPdf())).toBeNull();
  expect(pdfFault(smallPdf(6))).toBeNull();
});

test.each([
  ['only a beginning', Buffer.from('%PDF-1.7 …'), 'not one whole file'],
  ['no beginning', smallPdf().subarray(1), 'not one whole file'],
  ['bytes behind its end', Buffer.concat([smallPdf(), Buffer.from('more')]), 'not one whole file'],
  ['a later version over it', Buffer.concat([smallPdf(), smallPdf().subarray(9)]), 'not one whole file'],
  ['no page', smallPdf(0), 'has 0 pages'],
  ['seven pages', smallPdf(7), 'has 7 pages'],
  ['a script', smallPdf(1, '/Names <</JavaScript 9 0 R>>'), '/JavaScript'],
  ['a script by its short name', smallPdf(1, '/A <</JS (x)>>'), '/JS'],
  ['a name in codes', smallPdf(1, '/A <</J#53 (x)>>'), '/JS'],
  ['an attached file', smallPdf(1, '/Names <</EmbeddedFiles 9 0 R>>'), '/EmbeddedFiles'],
  ['an action at its opening', smallPdf(1, '/OpenAction <</S /Launch>>'), '/OpenAction'],
  ['an object inside of a stream', changed('endobj', 'stream\n9 0 obj <</S /Launch>>\nendstream endobj'), '/Launch'],
  ['compressed structure', changed('/Catalog', '/ObjStm'), '/ObjStm'],
  ['a password', changed('/Root', '/Encrypt 9 0 R /Root'), '/Encrypt'],
  ['too many bytes', Buffer.alloc(MOST_PDF_BYTES + 1), 'at most'],
])('%s is refused', (_, pdf, words) => {
  expect(pdfFault(pdf)).toContain(words);
});
