/** The first state of an explanation (D12, D14): v2 is provided, v1 is screened. */
import type { Logger } from 'pino';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import { scopeObjections } from '../../ledger/serving/visibility.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { activePolicy, activePolicyVersion } from '../../ledger/policy/versions.ts';
import type { Screened } from '../../ledger/explanations/screenings.ts';
import { MATCHER_VERSION } from '../../screening/matcher.ts';
import {
  createScreener,
  type KnownWords,
  type Screener,
  type Screening,
  type ScreeningInput,
} from '../../screening/screen.ts';
import type { ReadNew } from './entry.ts';

/** The history's sentence about an explanation that no check was run on (D14). */
export const V2_REASON = 'v2 automatic exposure: v2 결과는 심사 없이 자동 제공됩니다.';

/** No check was run, so none is recorded as passed. */
const V2_SCREENED: Screened = { outcome: 'AUTO_PUBLISHED', policyVersion: null, matcherVersion: null, checks: [] };

/**
 * Screens an entry under the policy that is active in the caller's transaction. Never throws for a fault of the
 * screening, only for a fault of the ledger.
 */
export type ScreenEntry = (
  reader: LedgerReader,
  entry: ReadNew,
  words?: KnownWords,
) => { screened: Screened; reason: string | null };

export type MakeScreener = typeof createScreener;

/** `makeScreener` is called once per policy version, because building one is the costly part. */
export function createEntryScreening(log: Logger, makeScreener: MakeScreener = createScreener): ScreenEntry {
  const closed = makeScreener(null);
  let screener: Screener = closed;
  let madeFor: number | null = null;

  function screenerNow(reader: LedgerReader): Screener {
    const version = activePolicyVersion(reader);
    if (version === madeFor) return screener;
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
    madeFor = version;
    return screener;
  }

  function screen(reader: LedgerReader, input: ScreeningInput): { screening: Screening; policyVersion: number | null } {
    const now = screenerNow(reader);
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

  return (reader, entry, words) => {
    const result = entry.explanation_result;
    if (result.analysis_engine === 'v2') return { screened: V2_SCREENED, reason: V2_REASON };
    const { screening, policyVersion } = screen(reader, {
      summary: result.summary,
      explanation_type: result.explanation_type,
      confidence_level: result.confidence_level,
      sourceEventIds: entry.source_events.map((event) => event.source_event_id),
      outOfScope: scopeObjections(reader, { ticker: result.etf_ticker, market: result.market ?? null }),
      ...(words === undefined ? {} : { words }),
    });
    const { outcome, checks } = screening;
    return { screened: { outcome, checks, policyVersion, matcherVersion: MATCHER_VERSION }, reason: null };
  };
}
