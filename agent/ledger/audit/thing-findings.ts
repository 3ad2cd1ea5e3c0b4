/** What `verify` and the doctor say of altered policies, accounts and settings (D199). */
import { sessionSeal } from '../made/changes.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import type { RecordKey } from '../made/record-key.ts';
import type { AlteredThing, ThingKind } from '../../../shared/wire/console/audit.ts';
import type { AuditedTable } from '../made/audited.ts';
import { checkThings, type ThingFault } from './thing-check.ts';

/** Ids that a sentence names. */
const MOST = 20;

/** `unjudged`: what the host's key alone can judge, and it is not there. That is no fault, and not sound either. */
export function thingFindings(reader: LedgerReader, key: RecordKey | null): { findings: string[]; unjudged: string[] } {
  const { faults, unjudged } = checkThings(reader, key);
  const versions = new Set(
    faults.flatMap(({ table, key: [version] }) =>
      table !== null && KINDS[table] === 'POLICY' && typeof version === 'number' ? [version] : [],
    ),
  );
  const autoPublished = [...versions].flatMap((version) => autoPublishedSentence(reader, version) ?? []);
  return {
    findings: [
      ...faults.map(({ says }) => says),
      ...autoPublished,
      ...(key === null ? [] : sessionFindings(reader, key)),
    ],
    unjudged: unjudged === 0 ? [] : [unjudgedSentence(unjudged)],
  };
}

const unjudgedSentence = (count: number): string =>
  `${count} accounts, credentials, channels and rows of the audit log could not be judged, without the record key that sealed them or a row that tells of them. ` +
  'Put the copy of the key back as record.key beside the ledger, or have "console-api audit begin" put the present state on record.';

/** Sessions that this host has not begun: a row written by hand is a login without a password. */
function sessionFindings(reader: LedgerReader, key: RecordKey): string[] {
  return reader.all(openSessions()).flatMap(({ name, ...session }) => {
    if (session.proof === key.mac(sessionSeal(session))) return [];
    const of = `The session of ${name} of ${session.created_at}`;
    return session.proof === null ? `${of} was begun without the record key.` : `${of} was not begun by this host.`;
  });
}

/** Each is named by its member, who may be gone. */
const openSessions = prepared(() =>
  sqlite
    .selectFrom('session')
    .leftJoin('member', 'member.id', 'member_id')
    .select(({ fn }) => fn.coalesce('username', 'member_id').as('name'))
    .select(['token_hash', 'member_id', 'session.created_at', 'proof'])
    .orderBy('session.created_at')
    .orderBy('token_hash'),
);

/** The texts that no person let out under a version; null where there is none. */
function autoPublishedSentence(reader: LedgerReader, version: number): string | null {
  const texts = autoPublishedUnder(reader, version);
  if (texts.length === 0) return null;
  const more = texts.length > MOST ? ` and ${texts.length - MOST} more` : '';
  const ids = texts.slice(0, MOST).map(({ resultId }) => resultId);
  return `Under policy version ${version}, ${texts.length} texts were provided without a reviewer: ${ids.join(', ')}${more}.`;
}

/** The texts that a version has let out without a person, newest first. Reads the whole history. */
export function autoPublishedUnder(
  reader: LedgerReader,
  version: number,
): { id: string; resultId: string; name: string; tradeDate: string }[] {
  return reader.all(
    sqlite
      .selectFrom('state_history')
      .innerJoin('explanation', 'explanation.id', 'state_history.explanation_id')
      .select(['explanation.id', 'explanation.explanation_result_id as resultId', 'etf_name as name'])
      .select('trade_date as tradeDate')
      .distinct()
      .where('state_history.policy_version', '=', version)
      .where('to_status', '=', 'AUTO_PUBLISHED')
      .orderBy('explanation.number', 'desc'),
  );
}

const KINDS: Readonly<Record<AuditedTable, ThingKind>> = {
  policy_version: 'POLICY',
  policy_timing: 'POLICY',
  policy_start: 'POLICY',
  policy_proposal: 'PROPOSAL',
  member: 'ACCOUNT',
  member_identity: 'ACCOUNT',
  second_factor: 'ACCOUNT',
  recovery_code: 'ACCOUNT',
  second_factor_setting: 'SETTING',
  review_target: 'SETTING',
  approval_setting: 'SETTING',
  channel: 'CHANNEL',
  serving_scope: 'SCOPE',
  scope_exclusion: 'SCOPE',
  instrument: 'SCOPE',
  review_note: 'NOTE',
};

/** The form of the screens. An account is told by its login name, where it still has one. */
export function alteredThing(reader: LedgerReader, { fault, table, key, row }: ThingFault): AlteredThing {
  const kind = table === null ? null : KINDS[table];
  const told = kind === 'SETTING' || key.length === 0 ? null : key.join(' ');
  if (kind !== 'ACCOUNT') return { fault, kind, name: told, row };
  const member = reader.first(sqlite.selectFrom('member').select('username').where('id', '=', String(key[0])));
  return { fault, kind, name: member?.username ?? told, row };
}
