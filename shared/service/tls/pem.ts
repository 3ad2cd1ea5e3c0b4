/**
 * Files of PEM blocks: authorities, certificates, public keys. TLS and Node take the blocks that are whole and skip the
 * rest without a word, so a file that was cut in a rotation would lose its second authority only at the switch.
 */
import { X509Certificate } from 'node:crypto';

/** A text whose blocks are not whole. The message finishes the sentence "The file …". */
export class PemError extends Error {
  override name = 'PemError';
}

const MARK = /-----(BEGIN|END) ([A-Z0-9 ]+)-----/g;
/** A line of dashes that is no whole mark, of a single dash too; dashes as a mail program makes them. */
const CUT_MARK = /^[ \t]*-{2,}|^[ \t]*-[ \t\r]*$|-{5}|[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]{2}/m;
/** A dash right behind a mark, or as the last character: the first of a mark that was cut there. */
const CUT_DASH = /^-|-\s*$/;
/** A line of a block without its marks, and the other half of UTF-16 characters, as a shell on Windows appends them. */
const BARE_LINE = /^[ \t>]*[A-Za-z0-9+/]{40,}={0,2}[ \t\r]*$/m;
const NO_TEXT = /[\0\ufffd]/;
/** Other names of a certificate's block, which Node passes over. */
const OTHER_NAME = /^(?:X509|TRUSTED) CERTIFICATE$/;

export interface PemBlock {
  /** Such as `CERTIFICATE`. */
  label: string;
  /** With its marks. */
  text: string;
}

/** The blocks of a text in their order; text between them is passed over. @throws PemError for a block that is not whole */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { label: string; at: number } | null = null;
  let end = 0;
  for (const { index, 0: mark, 1: kind, 2: label = '' } of text.matchAll(MARK)) {
    if (open === null) refuseCut(text.slice(end, index));
    if (kind === 'BEGIN') {
      if (open !== null) throw endless(open.label);
      open = { label, at: index };
      continue;
    }
    if (open?.label !== label) throw new PemError(`holds the end of a block ${label} without its beginning: ${COPY}`);
    end = index + mark.length;
    blocks.push({ label, text: text.slice(open.at, end) });
    open = null;
  }
  if (open !== null) throw endless(open.label);
  refuseCut(text.slice(end));
  return blocks;
}

/** The certificates of a text. @throws PemError for a block that is not whole, or a certificate that cannot be read */
export const certificatesOf = (pem: string): X509Certificate[] => whole(pem).map(parsed);

/** The same, each as its block. @throws PemError */
export const certificateBlocks = (pem: string): string[] =>
  whole(pem).map((text) => {
    parsed(text);
    return text;
  });

const whole = (pem: string): string[] =>
  pemBlocks(pem).flatMap(({ label, text }) => {
    if (OTHER_NAME.test(label)) throw new PemError(`holds a block ${label}: write it anew as CERTIFICATE`);
    return label === 'CERTIFICATE' ? [text] : [];
  });

function parsed(block: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw new PemError(`holds a certificate that cannot be read: ${COPY}`);
  }
}

const COPY = 'a part of it is missing, copy it anew';
const endless = (label: string): PemError => new PemError(`holds a block ${label} without its end: ${COPY}`);

function refuseCut(between: string): void {
  if (NO_TEXT.test(between))
    throw new PemError('holds bytes that are no text: write it anew as UTF-8, each block with its marks');
  if (CUT_MARK.test(between) || CUT_DASH.test(between))
    throw new PemError(`holds a line of dashes that begins no block: ${COPY}`);
  if (BARE_LINE.test(between)) throw new PemError(`holds lines of a block without its marks: ${COPY}`);
}
