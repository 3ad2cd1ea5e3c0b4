/** The faults of one policy version, or of one other thing, at a cost that does not grow with the log. */
import { sql } from 'kysely';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { RecordKey } from '../made/record-key.ts';
import type { AuditedTable } from '../made/audited.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import { fitsHash } from './row-hash.ts';
import { beginning, inOrder, rowsOfPeople } from './rows-about.ts';
import { ACCOUNT_TABLES, ThingCheck, type Doubt, type Row, type ThingFault } from './thing-check.ts';

/** The literal of the partial index `console_action_of_policies`. */
const OF_POLICIES = sql`action IN ('policy.publish', 'policy.start', 'policy.cancel', 'audit.begin')`;
const namesOne = (abouts: string) => sql`EXISTS (SELECT 1 FROM json_each(${abouts}) WHERE instr(made, value) > 0)`;
const policyRows = prepared(
  (abouts: string) => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_policies
  WHERE ${OF_POLICIES} AND made IS NOT NULL AND ${namesOne(abouts)} ORDER BY seq`,
);

/** The rows that put one of these things on record anew, and first parts: they end what rows before them told of anything. */
const begun = prepared(
  (abouts: string) => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_policies
  WHERE ${OF_POLICIES} AND action = 'audit.begin' AND made IS NOT NULL
    AND (detail ->> '$.part' = 1 OR ${namesOne(abouts)}) ORDER BY seq`,
);

/** How what a row has made names each of these things. */
const aboutsOf = (things: readonly Doubt[]): string[] =>
  things.map(({ table, thing }) => `["${table}",${JSON.stringify(thing)},`);

const newerThan = prepared((version: number) =>
  sqlite.selectFrom('policy_version').select('version').where('version', '>', version).orderBy('version'),
);

/**
 * The faults of the policy version in force, at a cost that does not grow with the log. The content of each row in
 * question fits its hash, or the first that does not is the fault. A newer version is not in force because of its
 * start, which is therefore judged too (D212).
 */
export function policyFaults(reader: LedgerReader, key: RecordKey | null, version: number): ThingFault[] {
  const newer = reader.all(newerThan(version)).map((row) => row.version);
  const things = [
    ...POLICY.map((table): Doubt => ({ table, thing: [version] })),
    ...newer.map((each): Doubt => ({ table: 'policy_start', thing: [each] })),
  ];
  const faults = judgedBy(reader, key, reader.all(policyRows(JSON.stringify(aboutsOf(things)))), things);
  const newest = reader.first(newestPolicies());
  const gone: ThingFault[] =
    newest === undefined || newest.told <= newest.present
      ? []
      : [
          {
            ...{ fault: 'GONE', table: 'policy_version', key: [newest.told], row: null },
            says: `The policy version ${newest.told} is gone, and the audit log tells of it.`,
          },
        ];
  return [...faults, ...gone];
}

/** The faults of the things that people's rows about one target tell of, at a cost that does not grow with the log. */
export function targetFaults(
  reader: LedgerReader,
  key: RecordKey | null,
  target: { id: string; type: string },
  things: readonly Doubt[],
): ThingFault[] {
  return judgedBy(reader, key, telling(rowsOfPeople(reader, target.id, target.type), things), things);
}

/** Those of the rows that tell of one of these things. */
function telling(rows: readonly ConsoleActionLogTable[], things: readonly Doubt[]): Row[] {
  const abouts = aboutsOf(things);
  return rows.filter((row): row is Row => row.made !== null && abouts.some((about) => row.made?.includes(about)));
}

/** With the setting of second factors, whose rows name no account. */
const ofAccount = prepared(
  (id: string) => sql<Row>`SELECT * FROM console_action_log INDEXED BY console_action_of_accounts
  WHERE target_type = 'member' AND instr(made, '"things":[[') > 0 AND (target_id = ${id} OR target_id IS NULL)`,
);

/**
 * Whether an account or the setting of second factors is other than the rows about it tell, as far as this host can
 * judge: nobody acts by a role, a password or a factor that somebody has put there for a moment. What an act has since
 * come on top of is a finding of `verify`, and keeps nobody out.
 */
export function isAccountAltered(tx: LedgerTransaction, id: string): boolean {
  const things = [...ACCOUNT_TABLES.map((table): Doubt => ({ table, thing: [id] })), SETTING];
  // The first row of a demo tells of all its accounts.
  const rows = [...tx.all(ofAccount(id)), ...telling(beginning(tx), things)];
  return judgedBy(tx, tx.changes.key, rows, things).some(({ fault }) => fault !== 'COVERED');
}

const SETTING: Doubt = { table: 'second_factor_setting', thing: [1] };

function judgedBy(
  reader: LedgerReader,
  key: RecordKey | null,
  rows: readonly Row[],
  things: readonly Doubt[],
): ThingFault[] {
  const told = new ThingCheck(reader, key, [...new Set(things.map(({ table }) => table))]);
  const all = inOrder([...reader.all(begun(JSON.stringify(aboutsOf(things)))), ...rows]);
  for (const row of all) told.take(row);
  const changed = all.find((row) => !fitsHash(row));
  if (changed !== undefined)
    told.refuse(changed.seq, `The content of row ${changed.seq} of the audit log does not fit its hash.`);
  const judged = things.map(({ table, thing }) => told.judge(table, thing));
  return [...told.allFaults(), ...judged.filter((fault) => fault !== null && fault !== 'UNJUDGED')];
}

/**
 * The highest policy version that is there, and the highest that a row tells of: one without its successor would decide
 * again. A row by which the record begins tells of all that were there.
 */
const newestPolicies = prepared(
  () => sql<{ present: number; told: number }>`SELECT coalesce((SELECT max(version) FROM policy_version), 0) AS present,
    coalesce((SELECT max(CASE action WHEN 'policy.publish' THEN CAST(target_id AS INTEGER) ELSE
        (SELECT max(value ->> '$[1][0]') FROM json_each(CASE WHEN json_valid(made) THEN made ELSE '{}' END, '$.things')
          WHERE value ->> '$[0]' = 'policy_version') END)
      FROM console_action_log INDEXED BY console_action_of_policies
      WHERE ${OF_POLICIES}), 0) AS told`,
);

const POLICY = ['policy_version', 'policy_timing', 'policy_start'] as const satisfies readonly AuditedTable[];
