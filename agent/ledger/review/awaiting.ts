/**
 * The items of the queue that wait for another person: for a second opinion, or for the second of four eyes.
 *
 * Written out: three questions share one piece, which literals tie to partial indexes.
 */
import type { Awaited, AwaitedCounts } from '../../../shared/wire/console/console.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';

/** Both are few: people make them one by one. */
const WAIT_FOR: Readonly<Record<Awaited, string>> = {
  OPINION: `FROM second_opinion JOIN explanation ON explanation.id = second_opinion.explanation_id
    WHERE second_opinion.outcome = 'OPEN' AND explanation.status = 'PENDING_REVIEW'`,
  // While the first approver may decide, and the policy requires two people.
  SECOND_PERSON: `FROM waiting_edit JOIN explanation ON explanation.id = waiting_edit.explanation_id
    JOIN member ON member.id = waiting_edit.author_id AND member.active = 1 AND member.role = 'COMPLIANCE_REVIEWER'
    WHERE explanation.status = 'PENDING_REVIEW' AND 1 = (SELECT json_extract(snapshot, '$.criteria.fourEyes')
      FROM policy_version WHERE version = (SELECT version FROM policy_in_force))`,
};

const numbersOf = {
  OPINION: statement<[], { number: number }>(`SELECT explanation.number ${WAIT_FOR.OPINION}`),
  SECOND_PERSON: statement<[], { number: number }>(`SELECT explanation.number ${WAIT_FOR.SECOND_PERSON}`),
};

/** The numbers of the explanations that wait in this way. */
export function awaitingNumbers(reader: LedgerReader, awaited: Awaited): number[] {
  return reader.all(numbersOf[awaited]()).map(({ number }) => number);
}

const counts = statement<[], { OPINION: number; SECOND_PERSON: number }>(`
  SELECT (SELECT count(*) ${WAIT_FOR.OPINION}) AS OPINION,
    (SELECT count(*) ${WAIT_FOR.SECOND_PERSON}) AS SECOND_PERSON`);

export function awaitedCounts(reader: LedgerReader): AwaitedCounts {
  const found = reader.first(counts());
  return { OPINION: found?.OPINION ?? 0, SECOND_PERSON: found?.SECOND_PERSON ?? 0 };
}
