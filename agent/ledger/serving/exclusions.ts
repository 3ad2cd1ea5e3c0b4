/**
 * Why a switch of the serving scope is off, and who has confirmed that it is meant to be (D227). A market, a channel or a
 * sector that is off and not confirmed is an alarm in every console.
 */
import type { Exclusion } from '../../../shared/wire/console/console.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { sqlite } from '../storage/query.ts';
import type { ScopeType } from './visibility.ts';

export type Why = Pick<Exclusion, 'reason' | 'confirmation'>;

/** Of a switch that is on, or was switched off without a reason. */
export const UNTOLD: Why = { reason: null, confirmation: null };

interface Place {
  type: ScopeType;
  key: string;
}

/** By key; keys without an entry are untold. */
export function whyOff(reader: LedgerReader, type: ScopeType): ReadonlyMap<string, Why> {
  const rows = reader.all(sqlite.selectFrom('scope_exclusion').selectAll().where('scope_type', '=', type));
  return new Map(
    rows.map(({ scope_key, reason, confirmed_reason, confirmed_by, confirmed_at }) => [
      scope_key,
      {
        reason,
        confirmation:
          confirmed_reason === null || confirmed_by === null || confirmed_at === null
            ? null
            : { reason: confirmed_reason, by: confirmed_by, at: confirmed_at },
      },
    ]),
  );
}

/** @param told `reason`: null where the switch is on, or is switched off without one */
export function keepReason(tx: LedgerTransaction, told: Place & { reason: string | null }): void {
  const { type, key, reason } = told;
  tx.run(sqlite.deleteFrom('scope_exclusion').where('scope_type', '=', type).where('scope_key', '=', key));
  if (reason !== null)
    tx.run(sqlite.insertInto('scope_exclusion').values({ scope_type: type, scope_key: key, reason, ...UNCONFIRMED }));
}

const UNCONFIRMED = { confirmed_reason: null, confirmed_by: null, confirmed_at: null };

export function keepConfirmation(
  tx: LedgerTransaction,
  { type, key, confirmation }: Place & { confirmation: NonNullable<Why['confirmation']> },
): void {
  const { reason, by, at } = confirmation;
  const confirmed = { confirmed_reason: reason, confirmed_by: by, confirmed_at: at };
  tx.run(
    sqlite
      .insertInto('scope_exclusion')
      .values({ scope_type: type, scope_key: key, reason: null, ...confirmed })
      .onConflict((conflict) => conflict.columns(['scope_type', 'scope_key']).doUpdateSet(confirmed)),
  );
}

/** Markets, channels and sectors that are off, the newest first. A channel that was closed has no switch. */
export function listExclusions(
  reader: LedgerReader,
  filter: { confirmed?: boolean | undefined; page: number; size: number },
): { rows: Exclusion[]; total: number } {
  const why = {
    MARKET: whyOff(reader, 'MARKET'),
    CHANNEL: whyOff(reader, 'CHANNEL'),
    SECTOR: whyOff(reader, 'SECTOR'),
  };
  const rows = reader.all(
    sqlite
      .selectFrom('serving_scope')
      .select(['scope_type', 'scope_key', 'changed_by', 'changed_at', 'version'])
      .where('enabled', '=', 0)
      .where('scope_type', '!=', 'INSTRUMENT')
      .where((eb) =>
        eb.or([
          eb('scope_type', '!=', 'CHANNEL'),
          eb('scope_key', 'in', eb.selectFrom('channel').select('channel.channel')),
        ]),
      )
      .orderBy('changed_at', 'desc')
      .orderBy('scope_type')
      .orderBy('scope_key'),
  );
  const all = rows.flatMap(({ scope_type: type, scope_key: key, changed_by, changed_at, version }): Exclusion[] => {
    if (type === 'INSTRUMENT') return [];
    const told = why[type].get(key) ?? UNTOLD;
    if (filter.confirmed !== undefined && filter.confirmed !== (told.confirmation !== null)) return [];
    return [{ type, key, ...told, changedBy: changed_by, changedAt: changed_at, version }];
  });
  return { rows: all.slice((filter.page - 1) * filter.size, filter.page * filter.size), total: all.length };
}
