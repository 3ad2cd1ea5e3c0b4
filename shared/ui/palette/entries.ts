/** The palette's entries for a typed text. Pure. */

export interface PaletteEntry {
  id: string;
  /** The kind of an entry: what a key of the screen does, a screen, an item found by the server, a command. */
  kind: 'act' | 'screen' | 'found' | 'command';
  label: string;
  /** Beside the label, quieter. */
  note: string;
  run: () => void;
}

export const commandEntry = (id: string, label: string, note: string, run: () => void): PaletteEntry => ({
  id,
  kind: 'command',
  label,
  note,
  run,
});

/** Compared without case, white space and Unicode form. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, '');

/**
 * The entries whose label or note contains the typed text; all of them for an empty text. The server's finds are not
 * filtered again.
 */
export function matching(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const wanted = folded(typed);
  return entries.filter(
    ({ kind, label, note }) => kind === 'found' || wanted === '' || folded(`${label}${note}`).includes(wanted),
  );
}

/** Those whose name contains the typed text. */
export function containing<T>(all: readonly T[], typed: string, nameOf: (one: T) => string): T[] {
  const wanted = folded(typed);
  return all.filter((one) => folded(nameOf(one)).includes(wanted));
}

/** Entries whose ticker or name begins with the typed text first; ties by ticker, then in their given order. */
export function ranked<T>(
  found: readonly T[],
  typed: string,
  namesOf: (one: T) => { ticker: string; name: string },
): T[] {
  const wanted = folded(typed);
  const rankOf = ({ ticker, name }: { ticker: string; name: string }): number =>
    [ticker, name].some((one) => folded(one).startsWith(wanted))
      ? 0
      : folded(`${ticker} ${name}`).includes(wanted)
        ? 1
        : 2;
  return found
    .map((one) => ({ one, ...namesOf(one) }))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.ticker.localeCompare(b.ticker, 'en'))
    .map(({ one }) => one);
}

/** The index `step` further among `count`, wrapping around. */
export function stepped(at: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (at + step + count) % count;
}
