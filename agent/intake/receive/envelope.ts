/**
 * Whether an answer may be committed (D33): checks the bundle's own fields (sync protocol 2) and its range (sync
 * protocol 4). Of an entry only the cursor is read here; applying checks entries one by one (D34).
 */
import { bundleAnswerSchema, type Bundle } from '../../../shared/wire/bundle.ts';
import { JsonError, readJson } from './json.ts';
import { quickAnswer } from './quick-answer.ts';

export interface Expected {
  /** The committed cursor, as it was sent. */
  after: number;
  /** The tenant of this ledger; null before the first bundle. */
  tenantId: number | null;
}

export type CheckedEnvelope =
  /** Only the cursor of each entry is checked. */
  | { kind: 'BUNDLE'; bundle: Bundle }
  | { kind: 'NOTHING_NEW' }
  /** `reason` is a sentence. */
  | { kind: 'VIOLATION'; reason: string };

/** Reads the body of an answer with status 200. */
export function checkEnvelope(body: Uint8Array, expected: Expected): CheckedEnvelope {
  let value: unknown;
  try {
    value = quickAnswer(body) ?? readJson(body);
  } catch (error) {
    if (error instanceof JsonError) return violation(error.message);
    throw error;
  }
  const answer = bundleAnswerSchema.safeParse(value);
  if (!answer.success) return violation(describe(answer.error.issues));
  const bundle = answer.data.result;
  if (bundle === undefined) return { kind: 'NOTHING_NEW' };
  const broken = brokenRule(bundle, expected);
  return broken === null ? { kind: 'BUNDLE', bundle } : violation(broken);
}

function brokenRule(bundle: Bundle, { after, tenantId }: Expected): string | null {
  if (tenantId !== null && bundle.tenant_id !== tenantId) {
    return `The bundle is of tenant ${bundle.tenant_id}, and this ledger belongs to tenant ${tenantId}.`;
  }
  if (bundle.cursor_from !== after) {
    return `The bundle begins after cursor ${bundle.cursor_from}, and the pull asked for records after ${after}.`;
  }
  if (bundle.entries.length === 0) return 'The bundle has no entries; an answer without news has no bundle.';
  let last = bundle.cursor_from;
  for (const [index, entry] of bundle.entries.entries()) {
    if (entry.cursor <= last) {
      return index === 0
        ? `The first entry has cursor ${entry.cursor}, which is not above cursor_from ${last}.`
        : `The cursors do not ascend: ${entry.cursor} follows ${last}.`;
    }
    last = entry.cursor;
  }
  if (bundle.cursor_to !== last) return `cursor_to is ${bundle.cursor_to}, and the last entry has cursor ${last}.`;
  return null;
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
  code?: string;
  origin?: string;
}

/** The first place that does not fit, as a sentence. */
function describe(issues: readonly Issue[]): string {
  const [issue] = issues;
  if (issue === undefined) return 'The answer does not fit.';
  const place = issue.path.length === 0 ? 'the answer' : issue.path.map(String).join('.');
  if (issue.code === 'too_big' && issue.origin === 'int') {
    return `The answer does not fit: ${place} is beyond 2^53-1, where numbers are no longer exact.`;
  }
  return `The answer does not fit: ${place}: ${issue.message}.`;
}

function violation(reason: string): CheckedEnvelope {
  return { kind: 'VIOLATION', reason };
}
