/** The palette's entries for a typed text. Pure. */

export interface PaletteEntry {
  id: string;
  /** The kind of an entry: a screen, an explanation, something to do. */
  kind: 'screen' | 'explanation' | 'command';
  label: string;
  /** Beside the label, quieter. */
  note: string;
  run: () => void;
}

/** Compared without case, white space and the form in which Hangul is stored. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, '');

/**
 * The entries whose label or note holds what was typed; all of them for nothing. Explanations were found by the server.
 */
export function matching(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const wanted = folded(typed);
  return entries.filter(
    ({ kind, label, note }) => kind === 'explanation' || wanted === '' || folded(`${label}${note}`).includes(wanted),
  );
}

/**
 * The found explanations, those first whose ticker or name begins with the typed text; equals by ticker, then as they
 * came.
 */
export function ranked<T extends { etf_ticker: string; etf_name: string }>(found: readonly T[], typed: string): T[] {
  const wanted = folded(typed);
  const rankOf = ({ etf_ticker: ticker, etf_name: name }: T): number =>
    [ticker, name].some((one) => folded(one).startsWith(wanted))
      ? 0
      : folded(`${ticker} ${name}`).includes(wanted)
        ? 1
        : 2;
  return found.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.etf_ticker.localeCompare(other.etf_ticker, 'en'),
  );
}

/** The place `step` further among `count`, round the ends. */
export function stepped(at: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (at + step + count) % count;
}
