/**
 * The rules of the serving scope over many instruments at once: which of them keep a text from channels, and what one
 * switch would change (D227).
 */
import type { ScopeEffect } from '../../../shared/wire/console/console.ts';
import { UNKNOWN_MARKET, type ScopeObjection } from '../../screening/findings.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import { channelNames } from './channels.ts';
import { switchNow } from './scope.ts';
import { exposedInScope, momentOf, type ScopeType } from './visibility.ts';

interface Instrument {
  ticker: string;
  market: string | null;
}

type Objections = (instrument: Instrument) => ScopeObjection[];

const nameOf = (type: ScopeType, key: string): string => JSON.stringify([type, key]);

/** The rules that keep an instrument outside the scope, read once for many instruments. */
export function scopeSnapshot(reader: LedgerReader): Objections {
  return objectionsOf(switchedOff(reader), instrumentsOf(reader));
}

function switchedOff(reader: LedgerReader): Set<string> {
  const rows = reader.all(
    sqlite.selectFrom('serving_scope').select(['scope_type', 'scope_key']).where('enabled', '=', 0),
  );
  return new Set(rows.map((row) => nameOf(row.scope_type, row.scope_key)));
}

interface Known {
  market: string | null;
  sector: string | null;
}

function instrumentsOf(reader: LedgerReader): ReadonlyMap<string, Known> {
  const rows = reader.all(sqlite.selectFrom('instrument').select(['etf_ticker', 'market', 'sector']));
  return new Map(rows.map((row) => [row.etf_ticker, row]));
}

function objectionsOf(off: ReadonlySet<string>, instruments: ReadonlyMap<string, Known>): Objections {
  // An unknown market may be the one that is switched off (D64).
  const isUnknownOff = [...off].some((name) => name.startsWith('["MARKET",'));
  return ({ ticker, market }) => {
    const known = instruments.get(ticker);
    const place = market ?? known?.market ?? null;
    const keys: { type: ScopeObjection['type']; key: string | null }[] = [
      { type: 'INSTRUMENT', key: ticker },
      { type: 'SECTOR', key: known?.sector ?? null },
    ];
    const others = keys.flatMap(({ type, key }) => (key !== null && off.has(nameOf(type, key)) ? [{ type, key }] : []));
    const isMarketOff = place === null ? isUnknownOff : off.has(nameOf('MARKET', place));
    return isMarketOff ? [{ type: 'MARKET', key: place ?? UNKNOWN_MARKET }, ...others] : others;
  };
}

/**
 * What one press of a switch would do at a moment: the texts that would no longer be exposed to each channel, or be exposed again.
 *
 * @throws UnknownScopeKeyError
 */
export function effectOfSwitch(reader: LedgerReader, type: ScopeType, key: string, now: Date): ScopeEffect {
  const { enabled, version } = switchNow(reader, type, key);
  const before = switchedOff(reader);
  const after = new Set(before);
  if (enabled) after.add(nameOf(type, key));
  else after.delete(nameOf(type, key));
  const texts = reader.all(exposedInScope(momentOf(now)));
  const instruments = instrumentsOf(reader);
  const inside = (off: ReadonlySet<string>): boolean[] => {
    const objections = objectionsOf(off, instruments);
    return texts.map((text) => objections(text).length === 0);
  };
  const [is, would] = [inside(before), inside(after)];
  const count = (holds: (index: number) => boolean): number => texts.filter((_, index) => holds(index)).length;
  const touched = new Set<number>();
  const channels = channelNames(reader).map((channel) => {
    const [isOpen, wouldBeOpen] = [!before.has(nameOf('CHANNEL', channel)), !after.has(nameOf('CHANNEL', channel))];
    const changes = (index: number): boolean => (isOpen && is[index]) !== (wouldBeOpen && would[index]);
    for (const index of texts.keys()) if (changes(index)) touched.add(index);
    return { channel, texts: count(changes), shown: count((index) => isOpen && is[index] === true) };
  });
  return { enabled, version, texts: touched.size, channels };
}
