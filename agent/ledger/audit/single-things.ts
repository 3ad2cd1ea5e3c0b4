/**
 * The faults of one policy version, or of one other thing, at a cost that does not grow with the log.
 *
 * Written out: the indexes are named, and a partial one holds only beside its literal.
 */
import { statement, type LedgerReader, type LedgerTransaction } from '../storage/ledger.ts';
import type { RecordKey } from '../made/record-key.ts';
import type { AuditedTable } from '../made/audited.ts';
import { hashOf } from './row-hash.ts';
import { inOrder, rowsOfPeople } from './rows-about.ts';
import { ACCOUNT_TABLES, Told, type Doubt, type Row, type ThingFault } from './told-things.ts';

/** The literal of the partial index `console_action_of_policies`. */
const OF_POLICIES = "action IN ('policy.publish', 'policy.start', 'policy.cancel', 'audit.begin')";
const policyRows = statement<[about: string], Row>(`
  SELECT * FROM console_action_log INDEXED BY console_action_of_policies
  WHERE ${OF_POLICIES} AND made IS NOT NULL AND instr(made, ?) > 0 ORDER BY seq`);

/** The first part ends what the rows before it told, also of things that a later part names. */
const beginnings = statement<[], Row>(`
  SELECT * FROM console_action_log INDEXED BY console_action_of_policies
  WHERE ${OF_POLICIES} AND action = 'audit.begin' AND made IS NOT NULL AND detail ->> '$.part' = 1 ORDER BY seq`);

const newerThan = statement<[version: number], { version: number }>(
  'SELECT version FROM policy_version WHERE version > ? ORDER BY version',
);

/**
 * The faults of the policy version in force, at a cost that does not grow with the log. The content of each row in
 * question fits its hash, or the first that does not is the fault. A newer version is not in force because of its
 * start, which is therefore judged too (D212).
 */
export function policyFaults(reader: LedgerReader, key: RecordKey | null, version: number): ThingFault[] {
  const newer = reader.all(newerThan(version)).map((row) => row.version);
  const abouts = [
    `["policy_version",[${version}],`,
    ...[version, ...newer].map((each) => `["policy_start",[${each}],`),
  ];
  const rows = inOrder(abouts.flatMap((about) => reader.all(policyRows(about))));
  const faults = judgedBy(reader, key, rows, [
    ...POLICY.map((table): Doubt => ({ table, thing: [version] })),
    ...newer.map((each): Doubt => ({ table: 'policy_start', thing: [each] })),
  ]);
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
  const abouts = things.map(({ table, thing }) => `["${table}",${JSON.stringify(thing)},`);
  const own = rowsOfPeople(reader, target.id, target.type).filter(
    (row): row is Row => row.made !== null && abouts.some((about) => row.made?.includes(about)),
  );
  const begun = abouts.flatMap((about) => reader.all(policyRows(about)));
  return judgedBy(reader, key, inOrder([...own, ...begun]), things);
}

/** With the setting of second factors, whose rows name no account. */
const ofAccount = statement<[{ id: string }], Row>(`
  SELECT * FROM console_action_log INDEXED BY console_action_of_accounts
  WHERE target_type = 'member' AND instr(made, '"things":[[') > 0 AND (target_id = @id OR target_id IS NULL)`);
/** The rows that tell of everything: the first one, as that of a demo, and those by which the record begins anew. */
const ofAll = statement<[{ account: string; setting: string }], Row>(`
  SELECT * FROM (SELECT * FROM console_action_log WHERE seq = 1
    UNION ALL SELECT * FROM console_action_log INDEXED BY console_action_of_people_by_action
      WHERE action = 'audit.begin' AND actor_role IS NOT 'SYSTEM')
  WHERE instr(made, @account) > 0 OR instr(made, @setting) > 0`);

/**
 * Whether an account or the setting of second factors is other than the rows about it tell, as far as this host can
 * judge: nobody acts by a role, a password or a factor that somebody has put there for a moment. What an act has since
 * come on top of is a finding of `verify`, and keeps nobody out.
 */
export function isAccountAltered(tx: LedgerTransaction, id: string): boolean {
  const rows = [
    ...tx.all(ofAccount({ id })),
    ...tx.all(ofAll({ account: `,[${JSON.stringify(id)}],`, setting: '["second_factor_setting",' })),
  ];
  const things = [...ACCOUNT_TABLES.map((table): Doubt => ({ table, thing: [id] })), SETTING];
  return judgedBy(tx, tx.changes.key, inOrder(rows), things).some(({ fault }) => fault !== 'COVERED');
}

const SETTING: Doubt = { table: 'second_factor_setting', thing: [1] };

function judgedBy(
  reader: LedgerReader,
  key: RecordKey | null,
  rows: readonly Row[],
  things: readonly Doubt[],
): ThingFault[] {
  const told = new Told(reader, key, [...new Set(things.map(({ table }) => table))]);
  for (const row of inOrder([...reader.all(beginnings()), ...rows])) told.take(row);
  const changed = rows.find((row) => hashOf(row) !== row.hash);
  if (changed !== undefined)
    told.refuse(changed.seq, `The content of row ${changed.seq} of the audit log does not fit its hash.`);
  const judged = things.map(({ table, thing }) => told.judge(table, thing));
  return [...told.allFaults(), ...judged.filter((fault) => fault !== null && fault !== 'UNJUDGED')];
}

/**
 * The highest policy version that is there, and the highest that a row tells of: one without its successor would decide
 * again. A row by which the record begins tells of all that were there.
 */
const newestPolicies = statement<[], { present: number; told: number }>(`
  SELECT coalesce((SELECT max(version) FROM policy_version), 0) AS present,
    coalesce((SELECT max(CASE action WHEN 'policy.publish' THEN CAST(target_id AS INTEGER) ELSE
        (SELECT max(value ->> '$[1][0]') FROM json_each(CASE WHEN json_valid(made) THEN made ELSE '{}' END, '$.things')
          WHERE value ->> '$[0]' = 'policy_version') END)
      FROM console_action_log INDEXED BY console_action_of_policies
      WHERE ${OF_POLICIES}), 0) AS told`);

const POLICY = ['policy_version', 'policy_timing', 'policy_start'] as const satisfies readonly AuditedTable[];
