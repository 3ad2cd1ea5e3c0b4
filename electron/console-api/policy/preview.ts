/**
 * The dry run of a policy change (D16, D17): its effect on the explanations of the last days, compared with the active
 * policy. Nothing is written. The texts are read and screened in small steps, so that other requests are answered
 * meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { explanationsSince, sourceEventIds, type ScreenedRow } from '../../../agent/ledger/explanations/recent.ts';
import {
  effectsOfExpiry,
  screenedExposedTexts,
  type ExpiryEffect,
} from '../../../agent/ledger/explanations/exposed-texts.ts';
import { blockedIds, screeningBlock } from '../../../agent/ledger/explanations/screening-blocks.ts';
import { readChecks } from '../../../agent/ledger/explanations/screenings.ts';
import { differences } from '../../../agent/ledger/policy/changes.ts';
import { activePolicy, editedPolicy } from '../../../agent/ledger/policy/versions.ts';
import { scopeSnapshot } from '../../../agent/ledger/serving/scope-rules.ts';
import type { RecordedCheck } from '../../../agent/screening/recorded.ts';
import { createScreener, type Screener, type Screening, type ScreeningInput } from '../../../agent/screening/screen.ts';
import type { FreedItem, Preview, PreviewItem } from '../../../shared/wire/console/console.ts';
import { previewSchema } from '../../../shared/wire/console/policy.ts';
import type { ConsoleContext } from '../context/context.ts';
import { failedChecks } from '../context/text-check.ts';
import { endpoint } from '../http/endpoint.ts';
import { applyDraft, MOST_DRAFT_BYTES, policyDraftShape } from './draft.ts';

const DAY_MS = 86_400_000;
/** Most explanations examined; the newest come first. */
const MOST_EXAMINED = 20_000;
/** Rows screened before other requests get a turn. */
const STEP = 20;
/** Most items that each group names; its count covers all. */
const MOST_NAMED = 100;

const previewBody = z.strictObject({
  days: z.int().min(1).max(366).default(30),
  ...policyDraftShape,
});

export const previewHandlers = {
  'POST /api/v1/screening/preview': endpoint({
    refuses: [404],
    summary: 'The effect that a change of the policy would have had on the last days; nothing is changed',
    body: previewBody,
    mostBytes: MOST_DRAFT_BYTES,
    result: previewSchema,
    handle: async ({ body, context }): Promise<Preview> => {
      const [active, base] = [activePolicy(context.ledger), editedPolicy(context.ledger)];
      const proposed = applyDraft(context.ledger, context.ids, base?.snapshot, body);
      const since = new Date(context.clock.now().getTime() - body.days * DAY_MS).toISOString();
      const screeners: Screeners = {
        before: createScreener(active ?? null),
        after: createScreener({ version: (base?.version ?? 0) + 1, snapshot: proposed }),
      };
      const compared = await compare(context, since, screeners);
      return {
        policyVersion: base?.version ?? null,
        since,
        ...compared,
        caughtExposed: await caughtExposed(context, screeners),
        freedBlocks: await freedBlocks(context, screeners),
        ...visibilityAfter(context, proposed.criteria.expiresAt),
        changes: differences(active?.snapshot, proposed),
      };
    },
  }),
};

type Compared = Pick<Preview, 'examined' | 'truncated' | 'newlyBlocked' | 'newlyReviewed' | 'newlyProvided'>;
interface Screeners {
  before: Screener;
  after: Screener;
}
const GROUPS = { BLOCKED: 'newlyBlocked', PENDING_REVIEW: 'newlyReviewed', AUTO_PUBLISHED: 'newlyProvided' } as const;

async function compare(context: ConsoleContext, since: string, screeners: Screeners): Promise<Compared> {
  const outOfScope = scopeSnapshot(context.ledger);
  const compared: Compared = {
    examined: 0,
    truncated: false,
    newlyBlocked: { count: 0, items: [] },
    newlyReviewed: { count: 0, items: [] },
    newlyProvided: { count: 0, items: [] },
  };
  let last: ScreenedRow | undefined;
  for (;;) {
    const rows: ScreenedRow[] = explanationsSince(context.ledger, since, last, STEP);
    for (const row of rows) {
      if (compared.examined === MOST_EXAMINED) return { ...compared, truncated: true };
      compared.examined += 1;
      const input = inputOf(row, outOfScope({ ticker: row.etf_ticker, market: row.market }));
      const before = screeners.before.screen(input);
      const after = screeners.after.screen(input);
      if (before.outcome === after.outcome) continue;
      const group = compared[GROUPS[after.outcome]];
      group.count += 1;
      if (group.items.length < MOST_NAMED) group.items.push(itemOf(row, before, after));
    }
    last = rows.at(-1);
    if (last === undefined) return compared;
    await nextTurn();
  }
}

function inputOf(row: Omit<ScreenedRow, 'row'>, outOfScope: ScreeningInput['outOfScope']): ScreeningInput {
  const { summary, explanation_type, confidence_level, observed_return } = row;
  const sources = sourceEventIds(row);
  return { summary, explanation_type, confidence_level, observed_return, sourceEventIds: sources, outOfScope };
}

/**
 * Exposed texts in which the change would find more than the active policy: they stay exposed, because no text is
 * screened again (D16).
 */
async function caughtExposed(context: ConsoleContext, { before, after }: Screeners): Promise<Preview['caughtExposed']> {
  const caught: Preview['caughtExposed'] = { count: 0, items: [] };
  for (const [index, row] of screenedExposedTexts(context.ledger, context.clock.now()).entries()) {
    if (index % STEP === STEP - 1) await nextTurn();
    const input = inputOf(row, []);
    const known = new Set(before.screen(input).checks.flatMap(findings));
    const reasons = failedChecks(after.screen(input).checks).filter((check) =>
      findings(check).some((one) => !known.has(one)),
    );
    if (reasons.length === 0) continue;
    caught.count += 1;
    if (caught.items.length === MOST_NAMED) continue;
    const { id, version, etf_ticker, etf_name, trade_date, explanation_as_of, status, summary: text } = row;
    caught.items.push({ id, version, etf_ticker, etf_name, trade_date, explanation_as_of, status, text, reasons });
  }
  return caught;
}

/**
 * What the screening blocked, under whichever policy, and the proposed one would not: it stays blocked until a reviewer
 * sends it to review (D209).
 */
async function freedBlocks(context: ConsoleContext, { before, after }: Screeners): Promise<Preview['freedBlocks']> {
  const newly: FreedItem[] = [];
  const earlier: FreedItem[] = [];
  let count = 0;
  for (const [index, blocked] of blockedIds(context.ledger, MOST_EXAMINED).entries()) {
    if (index % STEP === STEP - 1) await nextTurn();
    const row = screeningBlock(context.ledger, blocked);
    if (row === undefined) continue;
    const input = inputOf(row, []);
    const outcome = after.screen(input).outcome;
    if (outcome === 'BLOCKED') continue;
    count += 1;
    const { id, version, etf_ticker, etf_name, trade_date, explanation_as_of, summary: text } = row;
    const item = { id, version, etf_ticker, etf_name, trade_date, explanation_as_of, text };
    const outcomes = { before: before.screen(input).outcome, after: outcome };
    const group = outcomes.before === 'BLOCKED' ? newly : earlier;
    if (group.length === MOST_NAMED) continue;
    group.push({ ...item, ...outcomes, status: 'BLOCKED', reasons: failedChecks(readChecks(row.checks)) });
  }
  return { count, items: [...newly, ...earlier].slice(0, MOST_NAMED) };
}

/** The findings of a check, one text for each. */
function findings({
  check,
  verdict,
  hits,
  parameters,
}: Pick<RecordedCheck, 'check' | 'verdict' | 'hits' | 'parameters'>): string[] {
  if (verdict === 'PASS') return [];
  if (hits.length === 0) return [JSON.stringify([check, verdict, check === 'REQUIRED_NOTICE' ? parameters : null])];
  return hits.map(({ wordId, start, end, severity }) => JSON.stringify([check, wordId, start, end, severity]));
}

type VisibilityGroups = Pick<Preview, ExpiryEffect>;

/** Another expiry time takes effect at once for every exposed text, without a screening. */
function visibilityAfter({ ledger, clock }: ConsoleContext, expiresAt: string | null): VisibilityGroups {
  const groups: VisibilityGroups = {
    exposedAgain: { count: 0, items: [] },
    exposedNoMore: { count: 0, items: [] },
    exposedLonger: { count: 0, items: [] },
    exposedShorter: { count: 0, items: [] },
  };
  for (const { text, effect } of effectsOfExpiry(ledger, expiresAt, clock.now())) {
    const group = groups[effect];
    group.count += 1;
    if (group.items.length < MOST_NAMED) group.items.push(text);
  }
  return groups;
}

function itemOf(row: ScreenedRow, before: Screening, after: Screening): PreviewItem {
  return {
    id: row.id,
    etf_ticker: row.etf_ticker,
    etf_name: row.etf_name,
    trade_date: row.trade_date,
    explanation_as_of: row.explanation_as_of,
    status: row.status,
    before: before.outcome,
    after: after.outcome,
    text: row.summary,
    reasons: failedChecks((after.outcome === 'AUTO_PUBLISHED' ? before : after).checks),
  };
}
