/**
 * Pages of the audit log (D19). Every received explanation leaves a row too, so partial indexes
 * (`console_action_of_people…`) find the actions of people, and all actions on accounts and roles, without a scan; the
 * program's other actions are found by a walk from the newest row.
 */
import { sql } from 'kysely';
import type { AuditAction } from '../../../shared/wire/console/console.ts';
import { CLAIM_ACTIONS } from '../../../shared/wire/console/audit-words.ts';
import { formsOf } from '../../../shared/wire/search-fold.ts';
import { inOrder, likePart, withoutSpaceSql } from '../storage/folded.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';

export interface ActionFilter {
  /** Whether the program's own actions are listed as well; its actions on accounts always are. */
  system: boolean;
  /** Whether the start and end of claims are listed. */
  claims: boolean;
  /** Whether the reader may see accounts and roles (D17, D70). */
  accounts: boolean;
  /** An exact action, or a prefix followed by `*`. */
  action?: string;
  /** The actor's display name at that time. */
  actor?: string;
  actorId?: string;
  targetType?: string;
  targetId?: string;
  /** The number of one row. */
  seq?: number;
  /** A ticker: rows about it and about its explanations. */
  ticker?: string;
  /** A text that a row shows: in its detail, as its actor's name, or as ticker or name of its instrument. */
  words?: string;
  /** Explanations whose rows are left out. */
  withoutExplanations?: readonly string[];
  /** From this instant on, and before that one. */
  from?: string;
  to?: string;
}

/** Actions about accounts and roles: the accounts themselves, and the set-up that made some. */
const ABOUT_ACCOUNTS = ['member', 'ledger'];

/** Ids of accounts that stand beside the names of people. */
const ACCOUNT_IDS = /(?:By|author|member|actor|reviewer|person)Ids?$/i;
/** Only the Tenant Admin may see the registrar of an account. */
const REGISTRAR = 'registeredBy';

function filtered(filter: ActionFilter) {
  let query = sqlite.selectFrom('console_action_log');
  // Literals, so that SQLite sees that the partial indexes hold.
  if (!filter.system) query = query.where(sql<boolean>`(actor_role IS NOT 'SYSTEM' OR target_type = 'member')`);
  if (!filter.accounts) query = query.where('target_type', 'not in', ABOUT_ACCOUNTS);
  if (!filter.claims) query = query.where('action', 'not in', CLAIM_ACTIONS);
  if (filter.action !== undefined) {
    query = filter.action.endsWith('*')
      ? query
          .where('action', '>=', filter.action.slice(0, -1))
          .where('action', '<', `${filter.action.slice(0, -1)}\u{10ffff}`)
      : query.where('action', '=', filter.action);
  }
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor).where('actor_id', 'is not', null);
  if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId);
  if (filter.targetType !== undefined) query = query.where('target_type', '=', filter.targetType);
  if (filter.targetId !== undefined) query = query.where('target_id', '=', filter.targetId);
  if (filter.seq !== undefined) query = query.where('seq', '=', filter.seq);
  if (filter.ticker !== undefined)
    query = query.where(
      sql<boolean>`target_id IN (SELECT id FROM explanation WHERE etf_ticker = ${filter.ticker} UNION ALL SELECT ${filter.ticker})`,
    );
  const forms = formsOf(filter.words ?? '');
  if (forms.length > 0) query = query.where((be) => be.or(forms.map((form) => holdsForm(form, filter))));
  if (filter.withoutExplanations !== undefined && filter.withoutExplanations.length > 0)
    query = query.where(
      sql<boolean>`coalesce(target_id, '') NOT IN (SELECT value FROM json_each(${JSON.stringify(filter.withoutExplanations)}))`,
    );
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('at', '<', filter.to);
  return query;
}

/**
 * Whether a row shows a text. JSON writes its letters as they are, so that the column is read first, which costs a
 * fraction of taking it apart.
 */
function holdsForm(form: string, { accounts }: Pick<ActionFilter, 'accounts'>) {
  const holds = (column: string) =>
    sql<boolean>`${sql.raw(withoutSpaceSql(column))} LIKE ${likePart(form)} ESCAPE '\\'`;
  const isShown = accounts
    ? sql<boolean>`true`
    : sql<boolean>`part.key IS NOT ${REGISTRAR} AND part.key NOT LIKE '%id' AND part.key NOT LIKE '%ids'`;
  return sql<boolean>`(${holds('actor')}
    OR detail LIKE ${inOrder(form)} ESCAPE '\\'
      AND EXISTS (SELECT 1 FROM json_tree(detail) AS part WHERE part.type = 'text' AND ${isShown} AND ${holds('part.value')})
    OR target_id IN (SELECT id FROM explanation WHERE ${holds('etf_ticker')} OR ${holds('etf_name')}))`;
}

/** Ids of the explanations of a ticker. */
export function explanationsOfTicker(reader: LedgerReader, ticker: string): string[] {
  return reader.all(sqlite.selectFrom('explanation').select('id').where('etf_ticker', '=', ticker)).map(({ id }) => id);
}

/** One page of actions, newest first. */
export function listActions(
  reader: LedgerReader,
  filter: ActionFilter,
  { page, size }: { page: number; size: number },
): { rows: AuditAction[]; total: number } {
  const rows = reader.all(
    filtered(filter)
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(size)
      .offset((page - 1) * size),
  );
  const total = reader.first(filtered(filter).select(sql<number>`count(*)`.as('n')))?.n ?? 0;
  return { rows: toActions(reader, rows, filter), total };
}

/** The rows after one, oldest first, for reading them all in steps. */
export function actionsAfter(reader: LedgerReader, filter: ActionFilter, seq: number, limit: number): AuditAction[] {
  const rows = reader.all(filtered(filter).selectAll().where('seq', '>', seq).orderBy('seq').limit(limit));
  return toActions(reader, rows, filter);
}

/** Steps from name to name in `console_action_by_person`; skips a name that has only rows about accounts. */
const namesOfPeople = prepared(
  (accounts: number) => sql<{ name: string }>`WITH RECURSIVE person (name) AS (
    SELECT min(actor) FROM console_action_log WHERE actor_id IS NOT NULL
    UNION ALL
    SELECT (SELECT min(actor) FROM console_action_log WHERE actor_id IS NOT NULL AND actor > name)
    FROM person WHERE name IS NOT NULL
  )
  SELECT name FROM person WHERE name IS NOT NULL AND (${accounts} = 1 OR EXISTS (
    SELECT 1 FROM console_action_log INDEXED BY console_action_by_person
    WHERE actor_id IS NOT NULL AND actor = name
      AND target_type NOT IN (${sql.join(ABOUT_ACCOUNTS)})))`,
);

/** The display names of people for which a filter of the log finds rows. */
export function actorNames(reader: LedgerReader, { accounts }: Pick<ActionFilter, 'accounts'>): string[] {
  return reader.all(namesOfPeople(accounts ? 1 : 0)).map(({ name }) => name);
}

const explanationsNamed = prepared((ids: string) =>
  sqlite
    .selectFrom('explanation')
    .select(['id', 'etf_ticker', 'etf_name', 'trade_date', 'explanation_as_of'])
    .where('id', 'in', sql<string>`(SELECT value FROM json_each(+${ids}))`),
);

function toActions(
  reader: LedgerReader,
  rows: readonly ConsoleActionLogTable[],
  { accounts }: Pick<ActionFilter, 'accounts'>,
): AuditAction[] {
  const ids = rows.filter((row) => row.target_type === 'explanation').map((row) => row.target_id);
  const named = new Map(
    reader.all(explanationsNamed(JSON.stringify([...new Set(ids)]))).map(({ id, ...names }) => [id, names]),
  );
  const people = accounts ? memberNames(reader, rows) : new Map<string, string>();
  return rows.map((row) => {
    const detail = JSON.parse(row.detail) as Record<string, unknown>;
    return {
      seq: row.seq,
      at: row.at,
      actorId: accounts ? row.actor_id : null,
      actor: row.actor,
      actorRole: accounts ? row.actor_role : null,
      sourceAddress: accounts ? row.source_address : null,
      action: row.action,
      targetType: row.target_type,
      targetId: row.target_id,
      targetName: (row.target_type === 'member' ? people.get(row.target_id ?? '') : undefined) ?? null,
      explanation: (row.target_type === 'explanation' ? named.get(row.target_id ?? '') : undefined) ?? null,
      detail: accounts ? detail : withoutAccounts(detail),
      hash: row.hash,
    };
  });
}

function memberNames(reader: LedgerReader, rows: readonly ConsoleActionLogTable[]): Map<string, string> {
  const ids = rows.flatMap(({ target_type, target_id }) =>
    target_type === 'member' && target_id !== null ? target_id : [],
  );
  if (ids.length === 0) return new Map();
  const members = sqlite
    .selectFrom('member')
    .select(['id', 'display_name'])
    .where('id', 'in', [...new Set(ids)]);
  return new Map(reader.all(members).map(({ id, display_name }) => [id, display_name]));
}

function withoutAccounts(detail: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(detail).filter(([key]) => key !== REGISTRAR && !ACCOUNT_IDS.test(key)));
}
