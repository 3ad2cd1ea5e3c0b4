/** The first state of an explanation (D12, D14): v2 is exposed, v1 is screened. */
import type { Logger } from 'pino';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import { scopeObjections } from '../../ledger/serving/visibility.ts';
import { policyFaults } from '../../ledger/audit/single-things.ts';
import type { RecordKeyFile } from '../../ledger/made/record-key.ts';
import { remembered, type LedgerReader } from '../../ledger/storage/ledger.ts';
import { activePolicy, activePolicyVersion } from '../../ledger/policy/versions.ts';
import type { Screened } from '../../ledger/explanations/screenings.ts';
import { MATCHER_VERSION } from '../../screening/matcher.ts';
import { createScreener, type Screener, type Screening, type ScreeningInput } from '../../screening/screen.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';

const POLICY_ALTERED =
  'the active policy is not as the audit log tells: no v1 text is provided without a reviewer; run "intake verify"';

/** The history's sentence about an explanation that no check was run on (D14). */
export const V2_REASON = 'v2 automatic exposure: v2 결과는 심사 없이 자동 제공됩니다.';

/** No check was run, so none is recorded as passed. */
const V2_SCREENED: Screened = { outcome: 'AUTO_PUBLISHED', policyVersion: null, matcherVersion: null, checks: [] };

/**
 * Screens an entry under the policy that is active in the caller's transaction. Never throws for a fault of the
 * screening, only for a fault of the ledger.
 */
export type ScreenEntry = (reader: LedgerReader, entry: NewEntry) => { screened: Screened; reason: string | null };

/** The history's sentence about a text that the policy's words alone would have exposed. */
export const ALTERED_REASON = '적용 중인 정책이 감사 기록과 달라 자동으로 제공하지 않습니다.';

export type MakeScreener = typeof createScreener;

/**
 * `makeScreener` is called once per policy version, because building one is the costly part.
 *
 * @param key the host's, which proves the row of the policy (D199)
 */
export function createEntryScreening(
  log: Logger,
  makeScreener: MakeScreener = createScreener,
  key: RecordKeyFile | null = null,
): ScreenEntry {
  const closed = makeScreener(null);
  let screener: Screener = closed;
  let madeFor: string | null = null;
  /** What the log of the service says of an altered policy, so that it says it once. */
  let told = '';

  /** Whether the active policy is not what the audit log says of it: then nobody has decided what it lets out. */
  function isAltered(reader: LedgerReader): boolean {
    const version = activePolicyVersion(reader);
    if (version === null) return false;
    return remembered(reader, 'whether the policy is altered', () => {
      const faults = policyFaults(reader, key?.read() ?? null, version);
      const found = faults.map(({ says }) => says);
      if (found.length > 0 && found.join() !== told) log.error({ policyVersion: version, found }, POLICY_ALTERED);
      told = found.join();
      return found.length > 0;
    });
  }

  function screenerNow(reader: LedgerReader, altered: boolean): Screener {
    const version = activePolicyVersion(reader);
    // A screener of an altered policy does not count once the policy is right again.
    const made = `${version} ${altered}`;
    if (made === madeFor) return screener;
    try {
      screener = makeScreener(activePolicy(reader) ?? null);
    } catch (error) {
      // The caller repeats the whole batch and reads the policy again.
      if (isLedgerFault(error)) throw error;
      screener = closed;
      log.error(
        { err: error, policyVersion: version },
        'the active policy cannot be read: every v1 text waits for a reviewer',
      );
    }
    madeFor = made;
    return screener;
  }

  function screen(
    reader: LedgerReader,
    input: ScreeningInput,
    altered: boolean,
  ): { screening: Screening; policyVersion: number | null } {
    const now = screenerNow(reader, altered);
    try {
      const screening = now.screen(input);
      for (const failure of screening.failures)
        log.error({ err: failure }, 'a check failed: the text waits for a reviewer');
      return { screening, policyVersion: now.policyVersion };
    } catch (error) {
      log.error({ err: error }, 'screening failed: the text waits for a reviewer');
      return { screening: closed.screen(input), policyVersion: null };
    }
  }

  return (reader, entry) => {
    const result = entry.explanation_result;
    if (result.analysis_engine === 'v2') return { screened: V2_SCREENED, reason: V2_REASON };
    const altered = isAltered(reader);
    const input: ScreeningInput = {
      summary: result.summary,
      explanation_type: result.explanation_type,
      confidence_level: result.confidence_level,
      sourceEventIds: entry.source_events.map((event) => event.source_event_id),
      observed_return: result.observed_return ?? null,
      outOfScope: scopeObjections(reader, { ticker: result.etf_ticker, market: result.market ?? null }),
    };
    const { screening, policyVersion } = screen(reader, input, altered);
    const { checks } = screening;
    const isHeld = altered && screening.outcome === 'AUTO_PUBLISHED';
    const outcome = isHeld ? 'PENDING_REVIEW' : screening.outcome;
    const screened = { outcome, checks, policyVersion, matcherVersion: MATCHER_VERSION };
    return { screened, reason: isHeld ? ALTERED_REASON : null };
  };
}
