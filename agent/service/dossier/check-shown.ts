/** What was shown follows from the facts in the dossier by the function of the product, and the facts from its journals. */
import { isDeepStrictEqual } from 'node:util';
import { disclaimerText, policySnapshotSchema } from '../../screening/policy.ts';
import { readAuthors } from '../../ledger/audit/authors.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import type { DossierAudit, DossierExplanation, DossierRecord, DossierShown } from '../../ledger/dossier/contents.ts';
import { SERVING_FIELDS } from '../../ledger/serving/record.ts';
import { servedBandOf } from '../../ledger/shown/requests.ts';
import type { Opened } from './opened.ts';

type Row = DossierAudit['rows'][number]['row'];
type Facts = DossierShown['facts'];

/** @throws UnfitDossierError */
export function* checkShown({ manifest, record, shown, audit }: Opened): Generator<string> {
  const { subject, madeAt } = manifest;
  const rows = audit.rows.map(({ row }) => row);
  for (const { from, to, facts, spans } of shown) {
    if (facts.ticker !== subject.ticker || facts.readAt !== madeAt || to > madeAt)
      throw new UnfitDossierError(
        `shown.json tells of ${facts.ticker} at ${facts.readAt}, and the manifest of another.`,
      );
    for (const explanation of record.explanations) checkFactsOf(explanation, facts);
    checkOthers(facts, rows, record);
    const again = JSON.parse(JSON.stringify(servedBandOf(facts, from, to))) as unknown;
    if (!isDeepStrictEqual(again, spans))
      throw new UnfitDossierError(
        `What was shown from ${from} to ${to}, or how often, does not follow from the facts.`,
      );
  }
  if (subject.kind === 'SPAN') checkSpan(subject, record, shown);
  else yield* checkPeriods(subject, madeAt, record, shown);
  const spans = shown.reduce((sum, each) => sum + each.spans.length, 0);
  yield `What was shown, in ${spans} spans, follows from the facts, and these from history and audit log.`;
}

function checkFactsOf(explanation: DossierExplanation, { explanations }: Facts): void {
  const told = explanations.find(({ id }) => id === explanation.id);
  if (told === undefined) return;
  const moves = explanation.history.map((row) => ({
    id: row.id,
    at: row.at,
    move: row.move,
    to_status: row.to_status,
    actor: row.actor,
    reason: row.reason,
    policy_version: row.policy_version,
    published_summary: row.published_summary,
    held_until: row.held_until,
    during_hold: row.during_hold,
    lifted_to: row.lifted_to,
    lift: row.lift,
    authors: readAuthors(row.authors).map(({ name }) => name),
  }));
  const { fields, cursor, served } = explanation;
  const isSame =
    isDeepStrictEqual(told.moves, moves) &&
    isDeepStrictEqual(told.served, served) &&
    SERVING_FIELDS.every((name) => told.fields[name] === { ...fields, cursor }[name]);
  if (!isSame) throw new UnfitDossierError(`shown.json tells ${explanation.id} otherwise than record.json.`);
}

/** Scope, sectors, channels and policies: each change is in the audit log, but for those that a record begins with. */
function checkOthers(facts: Facts, rows: readonly Row[], { policies }: DossierRecord): void {
  const has = (at: string, action: RegExp, target: string, by?: string): boolean =>
    rows.some(
      (row) =>
        row.at === at && action.test(row.action) && row.target_id === target && (by === undefined || row.actor === by),
    );
  const refuse = (what: string, at: string): never => {
    throw new UnfitDossierError(`The audit log has no row of the change of ${what} at ${at}.`);
  };
  for (const { at, type, key, enabled, by } of facts.scope)
    if (
      at !== facts.begins &&
      !rows.some(
        (row) =>
          row.at === at &&
          row.actor === by &&
          row.action === 'scope.toggle' &&
          row.target_id === key &&
          tells(row, type, enabled === 1),
      )
    )
      refuse(`the scope of ${key}`, at);
  for (const { at, channel, open } of facts.channels)
    if (at !== facts.begins && !has(at, open === 1 ? /^channel\.add$/ : /^channel\.remove$/, channel))
      refuse(`the channel ${channel}`, at);
  for (const { at, sector, by } of facts.instrument)
    if (typeof by === 'string' && at !== facts.begins && !has(at, /^scope\.sector$/, facts.ticker, by))
      refuse(`the sector of ${facts.ticker} to ${sector ?? 'none'}`, at);
  for (const { at, version, disclaimer, expiresAt, by } of facts.policies) {
    const policy = policies.find((one) => one.version === version);
    const snapshot = policySnapshotSchema.safeParse(JSON.parse(policy?.snapshot ?? 'null')).data;
    const isSame =
      snapshot !== undefined &&
      disclaimerText(snapshot) === disclaimer &&
      snapshot.criteria.expiresAt === expiresAt &&
      policy?.author === by;
    if (!isSame)
      throw new UnfitDossierError(`Disclaimer and expiry at ${at} are not those of policy version ${version}.`);
    if (at !== facts.begins && !has(at, /^policy\.publish$/, String(version))) refuse(`policy version ${version}`, at);
  }
}

function tells(row: Row, type: string, enabled: boolean): boolean {
  const detail = JSON.parse(row.detail) as { scope_type?: unknown; to?: unknown };
  return detail.scope_type === type && detail.to === enabled;
}

function checkSpan(
  { from, to }: { from: string; to: string },
  { explanations }: DossierRecord,
  shown: readonly DossierShown[],
): void {
  const [only, ...more] = shown;
  if (only?.from !== from || only.to !== to || more.length > 0)
    throw new UnfitDossierError('shown.json does not tell of the span that the manifest names.');
  const known = new Set(explanations.map(({ id }) => id));
  for (const { showing } of only.spans)
    if ('id' in showing && showing.id !== null && !known.has(showing.id))
      throw new UnfitDossierError(`record.json lacks ${showing.id}, which stood in the span.`);
}

/**
 * Each move of the explanation, and the first and last request of each count, lie in a period that is told. Later ones than the
 * dossier come of a clock that was ahead: at their time nothing had been shown yet.
 */
function* checkPeriods(
  { id }: { id: string },
  madeAt: string,
  { explanations }: DossierRecord,
  shown: readonly DossierShown[],
): Generator<string> {
  const [only, ...more] = explanations;
  if (only?.id !== id || more.length > 0)
    throw new UnfitDossierError(`record.json does not tell of the explanation ${id} alone.`);
  const times = [
    ...only.history.map(({ at }) => at),
    ...only.served.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt]),
  ];
  const untold = times.find((at) => at <= madeAt && !shown.some(({ from, to }) => from <= at && at <= to));
  if (untold !== undefined)
    throw new UnfitDossierError(`shown.json does not tell of ${untold}, when ${id} changed or was given.`);
  const ahead = times.filter((at) => at > madeAt).toSorted();
  if (ahead.length > 0)
    yield `Not checked: what was shown from ${ahead[0]} on (${ahead.length} changes or requests): the dossier was made before that time, so the host's clock was ahead when they were recorded.`;
}
