/**
 * The facts beside the moves of explanations: scope, channels, sectors, policies, rebuilds, restores. Each follows from
 * a row of the audit log, and each such row in the file has its fact, so that neither can be left out alone.
 */
import { disclaimerText, policySnapshotSchema } from '../../screening/policy.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import type { DossierAudit, DossierRecord, DossierShown } from '../../ledger/dossier/contents.ts';
import { detailOf } from './check-decisions.ts';

type Row = DossierAudit['rows'][number]['row'];
type Facts = DossierShown['facts'];

/** A fact, as its row in the audit log tells it too. */
interface Told {
  at: string;
  /** What has changed, in words. */
  what: string;
  /** All else that fact and row have in common, in one order. */
  as: readonly unknown[];
}

/** The facts of one kind, in the order of their recording, and the rows that record such facts. */
interface Kind {
  name: string;
  facts: readonly Told[];
  rows: readonly Told[];
}

/**
 * @returns the kinds of the facts of which the log holds no row, one for each fact
 * @throws UnfitDossierError
 */
export function checkFacts(facts: Facts, rows: readonly Row[], record: DossierRecord): string[] {
  checkPolicies(facts, record);
  checkTurns(facts);
  const isWhole = checkBegins(facts, rows);
  const alone = kindsOf(facts, rows).flatMap(({ name, ...kind }) => {
    const [first, ...more] = pairs(kind, facts);
    if (first === undefined) return [];
    // A record that began with the log has the rows of all its facts, but for the channel of a demo.
    if (isWhole && name !== 'channels')
      throw new UnfitDossierError(`The audit log has no row of the change of ${first.what} at ${first.at}.`);
    return [first, ...more].map(() => name);
  });
  const rebuilt = new Set(facts.rebuilds.map(({ at }) => at));
  // A rebuild that hides the ticker marks its correction at the same moment.
  const corrected = facts.corrected.filter(({ at }) => !rebuilt.has(at)).map(() => 'corrections of rows');
  const begun = isWhole ? [] : ['the beginning of the record, which an earlier program did not keep'];
  return [...begun, ...alone, ...corrected, ...instrumentsAlone(facts)];
}

/**
 * The record of a new ledger begins with the log. Under a ledger of an earlier program it begins later, and then the
 * log holds no earlier row of a kind that only a program with the record writes.
 *
 * @returns whether it begins with the log
 */
function checkBegins({ begins }: Facts, rows: readonly Row[]): boolean {
  const [first] = rows;
  if (first?.seq !== 1)
    throw new UnfitDossierError('The file lacks row 1 of the audit log, with which the log begins.');
  if (begins === first.at) return true;
  const early = rows.find((row) => row.at < begins && isOfRecord(row));
  if (early !== undefined || begins < first.at)
    throw new UnfitDossierError(
      `The record does not begin at ${begins}: row ${early?.seq ?? 1} of the audit log tells what was recorded at ${early?.at ?? first.at}.`,
    );
  return false;
}

/** Channels and moves are in logs of earlier programs too. */
const isOfRecord = (row: Row): boolean =>
  (row.action === 'policy.publish' && detailOf(row)['snapshotSha256'] !== undefined) ||
  (row.action === 'ledger.rebuild' && row.target_type === 'instrument') ||
  (row.action === 'ledger.restore' && 'since' in detailOf(row));

/** The program changes market and sector without a row. The market counts only for a text that names none. */
function instrumentsAlone({ instrument, explanations }: Facts): string[] {
  const isMarketAsked = explanations.some(({ fields, former }) =>
    [fields, ...former.map((each) => each.fields)].some(({ market }) => market === null),
  );
  return instrument.flatMap(({ by, sector }, index) => {
    if (typeof by === 'string') return [];
    const isOther = sector !== (instrument[index - 1]?.sector ?? null);
    return isOther || isMarketAsked ? ["the ticker's market and sector"] : [];
  });
}

function kindsOf(facts: Facts, all: readonly Row[]): Kind[] {
  const { ticker } = facts;
  const rowsOf = (
    action: RegExp,
    tell: (row: Row, detail: Record<string, unknown>) => Omit<Told, 'at'> | null,
  ): Told[] =>
    all.flatMap((row) => {
      const told = action.test(row.action) ? tell(row, detailOf(row)) : null;
      return told === null ? [] : [{ at: row.at, ...told }];
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
      // Most versions change neither disclaimer nor expiry: `checkPolicies` holds these against the facts.
      rows: rowsOf(/^policy\.publish$/, ({ target_id }) =>
        versions.has(target_id ?? '') ? ofPolicy(target_id) : null,
      ),
    },
  ];
}

/** @returns the facts with which the record begins, as far as no row records them; every other has its row */
function pairs({ facts, rows }: Omit<Kind, 'name'>, { begins }: Facts): Told[] {
  const key = ({ at, as }: Told): string => JSON.stringify([at, ...as]);
  const left = rows.map((row) => ({ ...row, key: key(row) }));
  const alone = facts.filter((fact) => {
    const found = left.findIndex((row) => row.key === key(fact));
    if (found >= 0) left.splice(found, 1);
    else if (fact.at !== begins)
      throw new UnfitDossierError(`The audit log has no row of the change of ${fact.what} at ${fact.at}.`);
    return found < 0;
  });
  // Rows from before the record have no facts.
  const more = left.find(({ at }) => at > begins);
  if (more !== undefined)
    throw new UnfitDossierError(
      `shown.json lacks the change of ${more.what} at ${more.at}, which the audit log tells.`,
    );
  return alone;
}

/**
 * What is switched on and off goes to the other side each time, so that a switch which was left out in between shows.
 * A key is inside the scope until it is switched off (D17); no channel and no rebuild is there before its beginning.
 */
function checkTurns({ begins, scope, channels, rebuilds }: Facts): void {
  const turns = [
    ...scope.map(({ at, type, key, enabled }) => ({ at, what: `${type} ${key}`, is: enabled, first: 1 })),
    ...channels.map(({ at, channel, open }) => ({ at, what: `the channel ${channel}`, is: open, first: 0 })),
    ...rebuilds.map(({ at, held }) => ({ at, what: 'the rebuild', is: held, first: 0 })),
  ];
  const last = new Map<string, number>();
  for (const { at, what, is, first } of turns) {
    if (at !== begins && (last.get(what) ?? first) === is)
      throw new UnfitDossierError(`shown.json lacks a switch of ${what} before that of ${at}, which changes nothing.`);
    last.set(what, is);
  }
}

function checkPolicies({ policies: facts }: Facts, { policies }: DossierRecord): void {
  const told = policies.map((policy) => {
    const snapshot = policySnapshotSchema.safeParse(JSON.parse(policy.snapshot)).data;
    return { ...policy, snapshot };
  });
  for (const { at, version, disclaimer, expiresAt, by } of facts) {
    const policy = told.find((one) => one.version === version);
    const isSame =
      policy?.snapshot !== undefined &&
      disclaimerText(policy.snapshot) === disclaimer &&
      policy.snapshot.criteria.expiresAt === expiresAt &&
      policy.author === by;
    if (!isSame)
      throw new UnfitDossierError(`Disclaimer and expiry at ${at} are not those of policy version ${version}.`);
  }
  for (const { version, snapshot } of told) {
    const fact = facts.findLast((one) => one.version <= version);
    const isSame =
      fact === undefined ||
      (snapshot !== undefined &&
        disclaimerText(snapshot) === fact.disclaimer &&
        snapshot.criteria.expiresAt === fact.expiresAt);
    if (!isSame)
      throw new UnfitDossierError(`shown.json lacks policy version ${version}, which changes disclaimer or expiry.`);
  }
}
