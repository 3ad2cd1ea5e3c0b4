/**
 * The rule by which the facts beside the moves of explanations (scope, channels, sectors, policies, rebuilds, restores)
 * are held against the audit log (D189). Each follows from a row of it, and each such row has its fact, so that none is altered
 * or left out alone. Pure: a reading of the ledger and `verify-dossier` both apply it.
 */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { disclaimerText, policyOfServingSchema } from '../../screening/policy.ts';
import { objectIn } from '../audit/logged-moves.ts';
import type { ConsoleActionLogTable, PolicyVersionTable } from '../storage/tables.ts';
import type { ShownFacts } from './shown-at.ts';

type Row = ConsoleActionLogTable;
/** A policy version that was in force, with its planned and its real start; both null: from its publication on. */
export type LoggedPolicy = Pick<PolicyVersionTable, 'version' | 'snapshot' | 'changes' | 'author' | 'created_at'> & {
  starts_at: string | null;
  started_at: string | null;
};

/** The record and what proves it differ. The message is a clause that names the first that does not fit. */
export class RecordFaultError extends Error {
  override name = 'RecordFaultError';
}

/** A fact, as its row in the audit log tells it too. */
interface LoggedFact {
  at: string;
  /** What has changed, in words. */
  what: string;
  /** All else that fact and row have in common, in one order. */
  as: readonly unknown[];
}

interface LoggedRow extends LoggedFact {
  seq: number;
}

/** The facts of one kind, in the order of their recording, and the rows that record such facts. */
interface Kind {
  name: string;
  facts: readonly LoggedFact[];
  rows: readonly LoggedRow[];
}

/**
 * @param rows of the audit log, ascending, its first among them; all that concern the ticker, the scope and the channels
 * @param policies those of these facts at least
 * @param inForce the facts whose disclaimer and expiry are asked about
 * @returns the kinds of the facts of which the log holds no row, one for each fact
 * @throws RecordFaultError
 */
export function checkFacts(
  facts: ShownFacts,
  rows: readonly Row[],
  policies: readonly LoggedPolicy[],
  inForce = facts.policies,
): string[] {
  checkPolicies(facts, policies, inForce);
  checkTurns(facts);
  checkBegins(facts, rows);
  const alone = kindsOf(facts, rows).flatMap(({ name, ...kind }) => {
    const [first, ...more] = pairs(kind, facts);
    if (first === undefined) return [];
    // The record has the rows of all its facts, but for the channel of a demo.
    if (name !== 'channels') throw noRowOf(first);
    return [first, ...more].map(() => name);
  });
  return [...alone, ...correctionsAlone(facts), ...instrumentsAlone(facts, rows)];
}

const noRowOf = ({ what, at }: LoggedFact): RecordFaultError =>
  new RecordFaultError(`the audit log has no row of the change of ${what} at ${at}`);

/** The record begins with the log. */
function checkBegins({ begins }: ShownFacts, [first]: readonly Row[]): void {
  if (first?.seq !== 1)
    throw new RecordFaultError('the record lacks row 1 of the audit log, with which the log begins');
  if (begins !== first.at)
    throw new RecordFaultError(
      `the record does not begin at ${begins}: row 1 of the audit log tells what was recorded at ${first.at}`,
    );
}

function detailOf({ seq, detail }: Row): Record<string, unknown> {
  const told = objectIn(detail);
  if (told === null) throw new RecordFaultError(`row ${seq} of the audit log holds a detail that is no JSON object`);
  return told;
}

/** A rebuild that hides the ticker marks its correction at the same moment; a later one of the same rebuild has no row. */
function correctionsAlone({ rebuilds, corrected }: ShownFacts): string[] {
  const marked = new Set(corrected.map(({ at }) => at));
  const unmarked = rebuilds.find(({ at, held }) => held === 1 && !marked.has(at));
  if (unmarked !== undefined)
    throw new RecordFaultError(`the record lacks the correction by the rebuild that hid the ticker at ${unmarked.at}`);
  const rebuilt = new Set(rebuilds.map(({ at }) => at));
  return corrected.filter(({ at }) => !rebuilt.has(at)).map(() => 'corrections of rows');
}

/** The program changes market and sector without a row. The market counts only for a text that names none. */
function instrumentsAlone({ ticker, instrument, explanations }: ShownFacts, rows: readonly Row[]): string[] {
  const isMarketAsked = explanations.some(({ fields, former }) =>
    [fields, ...former.map((each) => each.fields)].some(({ market }) => market === null),
  );
  const said = new Set(
    rows.flatMap((row) =>
      row.action === 'scope.sector' && row.target_id === ticker ? [detailOf(row)['to'] ?? null] : [],
    ),
  );
  return instrument.flatMap(({ at, by, sector }, index) => {
    if (typeof by === 'string') return [];
    const isOther = sector !== (instrument[index - 1]?.sector ?? null);
    // A rebuild brings back the sector that a person has set.
    if (isOther && !said.has(sector)) throw noRowOf({ at, what: `the sector of ${ticker}`, as: [] });
    return isOther || isMarketAsked ? ["the ticker's market and sector"] : [];
  });
}

function kindsOf(facts: ShownFacts, all: readonly Row[]): Kind[] {
  const { ticker } = facts;
  const rowsOf = (
    action: RegExp,
    tell: (row: Row, detail: Record<string, unknown>) => Omit<LoggedFact, 'at'> | null,
  ): LoggedRow[] =>
    all.flatMap((row) => {
      const told = action.test(row.action) ? tell(row, detailOf(row)) : null;
      return told === null ? [] : [{ at: row.at, seq: row.seq, ...told }];
    });
  const ofScope = (type: unknown, key: string | null, enabled: boolean, by: string) => ({
    what: `the scope of ${key ?? ''}`,
    as: [type, key, enabled, by],
  });
  const ofChannel = (channel: string | null, isOpen: boolean) => ({
    what: `the channel ${channel ?? ''}`,
    as: [channel, isOpen],
  });
  const ofSector = (sector: unknown, by: string) => ({ what: `the sector of ${ticker}`, as: [sector, by] });
  const ofRebuild = (held: boolean) => ({ what: `a rebuild that hides ${ticker}`, as: [held] });
  const ofRestore = (since: unknown) => ({ what: 'a restore from a backup', as: [since] });
  const ofPolicy = (version: string | null) => ({ what: `policy version ${version ?? ''}`, as: [version] });
  const versions = new Set(facts.policies.map(({ version }) => String(version)));
  return [
    {
      name: 'switches of the scope',
      facts: facts.scope.map(({ at, type, key, enabled, by }) => ({ at, ...ofScope(type, key, enabled === 1, by) })),
      rows: rowsOf(/^scope\.toggle$/, ({ target_id: key, actor }, { scope_type: type, to }) =>
        // The scope of another ticker decides about nothing here.
        type === 'INSTRUMENT' && key !== ticker ? null : ofScope(type, key, to === true, actor),
      ),
    },
    {
      name: 'channels',
      facts: facts.channels.map(({ at, channel, open }) => ({ at, ...ofChannel(channel, open === 1) })),
      rows: rowsOf(/^channel\.(?:add|remove)$/, (row) => ofChannel(row.target_id, row.action === 'channel.add')),
    },
    {
      name: 'sectors',
      facts: facts.instrument.flatMap(({ at, sector, by }) =>
        typeof by === 'string' ? [{ at, ...ofSector(sector, by) }] : [],
      ),
      rows: rowsOf(/^scope\.sector$/, ({ target_id, actor }, { to }) =>
        target_id === ticker ? ofSector(to, actor) : null,
      ),
    },
    {
      name: 'rebuilds',
      facts: facts.rebuilds.map(({ at, held }) => ({ at, ...ofRebuild(held === 1) })),
      rows: rowsOf(/^ledger\.rebuild$/, ({ target_type, target_id }, { held }) =>
        target_type === 'instrument' && target_id === ticker ? ofRebuild(held === true) : null,
      ),
    },
    {
      name: 'restores',
      facts: facts.restored.map(({ at, since }) => ({ at, ...ofRestore(since) })),
      rows: rowsOf(/^ledger\.restore$/, (_, { since }) => ofRestore(since)),
    },
    {
      name: 'policies',
      facts: facts.policies.map(({ at, version }) => ({ at, ...ofPolicy(String(version)) })),
      // Most versions change neither disclaimer nor expiry, and have no fact.
      // One that was published with a start is in force from the row of its start (D212).
      rows: rowsOf(/^policy\.(?:publish|start)$/, ({ action, target_id }, { changes, startsAt }) => {
        if (action === 'policy.publish' && startsAt !== undefined) return null;
        const isAbout = target_id === '1' || versions.has(target_id ?? '') || isOfTexts(changes);
        return isAbout ? ofPolicy(target_id) : null;
      }),
    },
  ];
}

/** Whether the changes of a policy version are about the disclaimer or the expiry. */
const isOfTexts = (changes: unknown): boolean =>
  Array.isArray(changes) &&
  changes.some(
    (change: { kind?: unknown; criterion?: unknown } | null) =>
      change?.kind === 'DISCLAIMER' || (change?.kind === 'CRITERION' && change.criterion === 'expiresAt'),
  );

/**
 * Pairs from the end: what has no partner comes first, and may equal a later change of the same moment.
 *
 * @returns the facts with which the record begins, as far as no row records them; every other has its row, in their order
 */
function pairs({ facts, rows }: Omit<Kind, 'name'>, { begins }: ShownFacts): LoggedFact[] {
  const key = ({ at, as }: LoggedFact): string => JSON.stringify([at, ...as]);
  const keys = rows.map(key);
  const found = new Set<number>();
  let before = keys.length;
  const alone = facts
    .toReversed()
    .filter((fact) => {
      const place = before === 0 ? -1 : keys.lastIndexOf(key(fact), before - 1);
      if (place < 0) return true;
      found.add(place);
      before = place;
      return false;
    })
    .toReversed();
  const rowless = alone.find(({ at }) => at !== begins);
  if (rowless !== undefined) throw noRowOf(rowless);
  const more = rows.find((_, place) => !found.has(place));
  if (more !== undefined)
    throw new RecordFaultError(
      `the record lacks the change of ${more.what} at ${more.at}, which row ${more.seq} of the audit log tells`,
    );
  return alone;
}

/**
 * Switches alternate between on and off, so that one which was left out in between shows.
 * A key is inside the scope until it is switched off (D17); no channel and no rebuild is there before its beginning.
 * Of what a restore has made again after a backup, switches that the decision journal lacked may be lost (D140).
 */
function checkTurns({ scope, channels, rebuilds, restored }: ShownFacts): void {
  const isMadeAgain = (at: string): boolean =>
    restored.some(({ at: end, since }) => at <= end && (since === null || at > since));
  const turns = [
    ...scope.map(({ at, type, key, enabled }) => ({ at, what: `${type} ${key}`, is: enabled, first: 1 })),
    ...channels.map(({ at, channel, open }) => ({ at, what: `the channel ${channel}`, is: open, first: 0 })),
    ...rebuilds.map(({ at, held }) => ({ at, what: 'the rebuild', is: held, first: 0 })),
  ];
  const last = new Map<string, number>();
  for (const { at, what, is, first } of turns) {
    if ((last.get(what) ?? first) === is && !isMadeAgain(at))
      throw new RecordFaultError(`the record lacks a switch of ${what} before that of ${at}, which changes nothing`);
    last.set(what, is);
  }
}

function checkPolicies(
  { policies: facts }: ShownFacts,
  policies: readonly LoggedPolicy[],
  inForce: ShownFacts['policies'],
): void {
  const told = new Map(policies.map((policy) => [policy.version, { author: policy.author, ...servingOf(policy) }]));
  for (const { at, version, disclaimer, expiresAt, by } of inForce) {
    const policy = told.get(version);
    if (policy?.disclaimer !== disclaimer || policy.expiresAt !== expiresAt || policy.author !== by)
      throw new RecordFaultError(`disclaimer and expiry at ${at} are not those of policy version ${version}`);
  }
  for (const [version, { disclaimer, expiresAt }] of told) {
    const fact = facts.findLast((one) => one.version <= version);
    if (fact !== undefined && (fact.disclaimer !== disclaimer || fact.expiresAt !== expiresAt))
      throw new RecordFaultError(`the record lacks policy version ${version}, which changes disclaimer or expiry`);
  }
}

type Serving = Pick<ShownFacts['policies'][number], 'disclaimer' | 'expiresAt'>;
/** By the SHA-256 of the snapshot, which may hold thousands of words. */
const read = new Map<string, Serving>();
const MOST_READ = 1_000;

function servingOf(policy: LoggedPolicy): Serving {
  const { version, snapshot } = policy;
  const sha256 = digestOf(policy);
  const known = read.get(sha256);
  if (known !== undefined) return known;
  const { success, data } = policyOfServingSchema.safeParse(objectIn(snapshot));
  if (!success) throw new RecordFaultError(`policy version ${version} is not in the form of a policy`);
  const serving = { disclaimer: disclaimerText(data), expiresAt: data.criteria.expiresAt };
  if (read.size >= MOST_READ) read.clear();
  read.set(sha256, serving);
  return serving;
}

const digests = new WeakMap<LoggedPolicy, string>();

/** Asked about twice in a reading. */
function digestOf(policy: LoggedPolicy): string {
  const digest = digests.get(policy) ?? hash('sha256', policy.snapshot);
  digests.set(policy, digest);
  return digest;
}

/**
 * Holds every word of a policy version against the row of its publication, and its start against the row of that.
 *
 * @throws RecordFaultError
 */
export function checkPolicy(policy: LoggedPolicy, rows: readonly Row[]): void {
  const { version, changes, author, created_at, starts_at, started_at } = policy;
  const rowOf = (of: string): Row | undefined =>
    rows.find(({ action, target_id }) => action === of && target_id === String(version));
  const [row, start] = [rowOf('policy.publish'), rowOf('policy.start')];
  const detail = row === undefined ? null : objectIn(row.detail);
  const isSame =
    row?.actor === author &&
    row.at === created_at &&
    (detail?.['startsAt'] ?? null) === starts_at &&
    isDeepStrictEqual({ changes: detail?.['changes'] }, objectIn(`{"changes":${changes}}`)) &&
    detail?.['snapshotSha256'] === digestOf(policy);
  if (!isSame)
    throw new RecordFaultError(
      row === undefined
        ? `the audit log has no row of the publication of policy version ${version}`
        : `row ${row.seq} of the audit log does not tell of policy version ${version} as the policies do`,
    );
  if ((start?.at ?? null) !== started_at)
    throw new RecordFaultError(`the audit log does not tell when policy version ${version} took effect`);
}
