/**
 * Screens each text of a dossier again, under the policy of that time: neither history nor audit log holds the findings.
 * The making of a dossier and `verify-dossier` apply this one rule (D190). The serving scope of then is no part of an entry, so
 * that check alone is not repeated.
 */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { MATCHER_VERSION } from '../../screening/matcher.ts';
import { policySnapshotSchema } from '../../screening/policy.ts';
import { recordedCheckSchema, type RecordedCheck } from '../../screening/recorded.ts';
import { createScreener, type Screener } from '../../screening/screen.ts';
import { RecordFaultError, type LoggedPolicy } from '../shown/logged-facts.ts';
import type { DossierExplanation } from './contents.ts';

type Screening = DossierExplanation['screenings'][number];

/** The vendor's entries of an explanation, in the order of their cursors. */
type EntriesOf = (id: string) => readonly NewEntry[];

/**
 * @returns how many screenings found the same again, and how many another version of the matcher made
 * @throws RecordFaultError
 */
export function checkScreenings(
  explanations: readonly Pick<DossierExplanation, 'id' | 'history' | 'screenings'>[],
  policies: readonly LoggedPolicy[],
  entriesOf: EntriesOf,
): { repeated: number; other: number } {
  const told = new Map(policies.map((policy) => [policy.version, policy]));
  let [repeated, other] = [0, 0];
  for (const { id, history, screenings } of explanations) {
    const rows = new Map(screenings.map((row) => [row.id, row]));
    for (const move of history) {
      const { screening_id, text_sha256, at, policy_version: version } = move;
      const entry = entriesOf(id).find(
        ({ explanation_result: { summary } }) => hash('sha256', summary) === text_sha256,
      );
      if (text_sha256 !== null && entry === undefined)
        throw new RecordFaultError(`the text of ${id} that was screened at ${at} is in no bundle`);
      if (screening_id === null) continue;
      const screening = rows.get(screening_id);
      if (screening?.explanation_id !== id || screening.at !== at || screening.policy_version !== version)
        throw new RecordFaultError(`the history of ${id} names a screening of its text at ${at} that is not there`);
      const policy = version === null ? null : told.get(version);
      if (policy === undefined)
        throw new RecordFaultError(`policy version ${version} is not there, under which ${id} was screened`);
      const said = findingsOf(screening);
      if (screening.matcher_version !== MATCHER_VERSION) other += 1;
      else if (entry !== undefined) {
        repeated += 1;
        if (!isSame(move, screening, said, screenerOf(policy), entry))
          throw new RecordFaultError(`the screening of ${id} at ${at} did not find what its text and policy give`);
      }
    }
  }
  return { repeated, other };
}

/** @throws RecordFaultError */
function findingsOf({ explanation_id: id, at, checks, policy_version, matcher_version }: Screening): RecordedCheck[] {
  const read = checksIn(checks);
  const isOfThis = read?.every(
    ({ policyVersion, matcherVersion }) => policyVersion === policy_version && matcherVersion === matcher_version,
  );
  if (read === null || isOfThis !== true)
    throw new RecordFaultError(`the findings of the screening of ${id} at ${at} cannot be read`);
  return read;
}

/** The findings of a screening; null where they cannot be read. */
export const checksIn = (checks: string): RecordedCheck[] | null =>
  recordedCheckSchema.array().safeParse(jsonIn(checks)).data ?? null;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isSame(
  { move, to_status: to }: DossierExplanation['history'][number],
  { outcome }: Screening,
  said: readonly RecordedCheck[],
  screener: Screener,
  { explanation_result: result, source_events }: NewEntry,
): boolean {
  const again = screener.screen({
    summary: result.summary,
    explanation_type: result.explanation_type,
    confidence_level: result.confidence_level,
    sourceEventIds: source_events.map((event) => event.source_event_id),
    observed_return: result.observed_return ?? null,
    outOfScope: [],
  });
  const isInside = said.some(({ check, verdict }) => check === 'SERVING_SCOPE' && verdict === 'PASS');
  // A text may wait although no check holds it back: withdrawn before it came (D35), or its earlier history is lost.
  const isKept = outcome === 'PENDING_REVIEW' || !isInside;
  const beside = (checks: readonly RecordedCheck[]): unknown =>
    JSON.parse(JSON.stringify(checks.filter(({ check }) => check !== 'SERVING_SCOPE')));
  return (
    (outcome === again.outcome || isKept) &&
    (move !== 'receive' || to === outcome) &&
    isDeepStrictEqual(beside(again.checks), beside(said))
  );
}

/** A policy may hold thousands of words: an archive of dossiers screens under the same few. */
const screeners = new Map<string, Screener>();
const MOST_SCREENERS = 8;

/** @throws RecordFaultError */
function screenerOf(policy: LoggedPolicy | null): Screener {
  const key = policy === null ? '' : `${policy.version} ${hash('sha256', policy.snapshot)}`;
  const known = screeners.get(key);
  if (known !== undefined) return known;
  const read = policy === null ? null : policySnapshotSchema.safeParse(jsonIn(policy.snapshot));
  if (policy !== null && read?.data === undefined)
    throw new RecordFaultError(`policy version ${policy.version} is not in the form of a policy`);
  const screener = createScreener(
    policy === null || read?.data === undefined ? null : { version: policy.version, snapshot: read.data },
  );
  if (screeners.size >= MOST_SCREENERS) screeners.clear();
  screeners.set(key, screener);
  return screener;
}
