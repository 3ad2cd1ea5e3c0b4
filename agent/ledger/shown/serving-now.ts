/** The rows that serve now, beside the record. */
import { sql } from 'kysely';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { RecordNotWholeError } from './errors.ts';
import type { ShownFacts } from './shown-at.ts';

const scopeNow = prepared(
  (ticker: string) => sql<{ type: string; key: string; enabled: number }>`
    SELECT scope_type AS type, scope_key AS key, enabled FROM serving_scope
    WHERE scope_type IN ('MARKET', 'CHANNEL', 'SECTOR') OR scope_type = 'INSTRUMENT' AND scope_key = ${ticker}`,
);
const channelsNow = prepared(() => sqlite.selectFrom('channel').select('channel'));
const policyNow = prepared(
  () => sql<{ disclaimer: string; expiresAt: string | null }>`
    SELECT json_extract(snapshot, '$.disclaimer.aiNotice') || ' ' || json_extract(snapshot, '$.disclaimer.text') AS disclaimer,
      expires_at AS expiresAt
    FROM policy_in_force JOIN policy_version USING (version) JOIN policy_timing USING (version)`,
);
const heldNow = prepared((ticker: string) =>
  sqlite.selectFrom('held_ticker').select(sql.lit(1).as('held')).where('etf_ticker', '=', ticker),
);

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Compares the record with the rows that serve now: a row that was changed past the program has no record. */
export function refuseOther(
  reader: LedgerReader,
  ticker: string,
  facts: ShownFacts,
  instrument: { market: string | null; sector: string | null } | undefined,
): void {
  const listed = (entries: Iterable<readonly [string, unknown]>): string =>
    JSON.stringify([...new Map(entries)].filter(([, value]) => value !== undefined).toSorted(byKey));
  const refuse = (subject: string, told: unknown, now: unknown): void => {
    if (told !== now) throw new RecordNotWholeError(subject);
  };
  const switches = (rows: readonly { type: string; key: string; enabled: number }[]): string =>
    listed(rows.map(({ type, key, enabled }) => [`${type}:${key}`, enabled]));
  refuse('the serving scope', switches(facts.scope), switches(reader.all(scopeNow(ticker))));
  const last = facts.instrument.at(-1);
  refuse(`the instrument ${ticker}`, last?.market ?? null, instrument?.market ?? null);
  refuse(`the instrument ${ticker}`, last?.sector ?? null, instrument?.sector ?? null);
  const open = listed(facts.channels.map(({ channel, open }) => [channel, open === 1 ? 1 : undefined]));
  refuse('the channels', open, listed(reader.all(channelsNow()).map(({ channel }) => [channel, 1])));
  refuse(`the ticker ${ticker}`, facts.rebuilds.at(-1)?.held ?? 0, reader.first(heldNow(ticker))?.held ?? 0);
  const [policy, active] = [facts.policies.at(-1), reader.first(policyNow())];
  refuse('the policy', policy?.expiresAt, active?.expiresAt);
  refuse('the policy', policy?.disclaimer, active?.disclaimer);
}
