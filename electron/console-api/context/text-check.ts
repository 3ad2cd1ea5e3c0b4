/** Screens a text again before a person exposes it (D14, D15), and compares its figures with the evidence (D221). */
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import type { MoveRequest } from '../../../agent/ledger/explanations/transitions.ts';
import { storedExplanation } from '../../../agent/ledger/explanations/explanations.ts';
import { activePolicy, activePolicyVersion } from '../../../agent/ledger/policy/versions.ts';
import { MATCHER_VERSION } from '../../../agent/screening/matcher.ts';
import type { MissingNotice } from '../../../agent/screening/notices.ts';
import type { RecordedCheck, RecordedHit } from '../../../agent/screening/recorded.ts';
import { createScreener, type Screener } from '../../../agent/screening/screen.ts';
import { withMessage } from '../../../agent/screening/sentences.ts';
import { fromStored } from '../../../shared/evidence/evidence.ts';
import { openFiguresIn, type CheckedFigure } from '../../../shared/evidence/support.ts';
import type { Evidence } from '../../../shared/wire/bundle.ts';
import type { Replacements, ReviewItem, WordHit } from '../../../shared/wire/console/console.ts';
import { flawOf } from '../../../shared/wire/characters.ts';
import { ApiError, type Finding } from '../../../shared/wire/envelope.ts';

/** The screener of the active policy version. A version never changes, so its screener is built once. */
export class ActiveScreener {
  #known: Screener | undefined;
  #replacements = new Map<string, readonly string[]>();

  of(reader: LedgerReader): Screener {
    if (this.#known === undefined || this.#known.policyVersion !== activePolicyVersion(reader)) {
      const active = activePolicy(reader) ?? null;
      this.#known = createScreener(active);
      this.#replacements = new Map(active?.snapshot.words.map(({ id, replacements = [] }) => [id, replacements]));
    }
    return this.#known;
  }

  /** What the active policy offers in the place of these hits (D213). */
  replacementsFor(reader: LedgerReader, hits: readonly RecordedHit[]): Replacements[] {
    this.of(reader);
    return [...new Set(hits.map(({ wordId }) => wordId))].flatMap((wordId) => {
      const phrases = [...(this.#replacements.get(wordId) ?? [])];
      return phrases.length === 0 ? [] : [{ wordId, phrases }];
    });
  }
}

export interface CheckedText {
  /** The explanation, whose evidence has to support the figures. */
  id: string;
  text: string;
  /** The text's place in the request or object, for errors. */
  field: 'summary' | 'body.edited_summary' | 'body.published_summary';
  /** Ids of the words and missing notices that the person has seen and accepts. */
  words: readonly string[];
  /** The figures without evidence that the person has seen and accepts, as written. */
  figures: readonly string[];
}

/** A finding that the policy does not let pass without a person. */
interface Objection {
  /** Id of the word or notice. */
  id: string;
  severity: WordHit['severity'];
  remark: { message: string; finding: Finding };
}

function objectionsTo(screener: Screener, text: string): Objection[] {
  return [
    ...screener.findWords(text).map((hit): Objection => {
      const { wordId: id, severity, matched, word } = hit;
      return { id, severity, remark: { message: describeHit(hit), finding: { kind: 'WORD', matched, word } } };
    }),
    ...screener.missingNotices(text).map((missing): Objection => {
      const { id, name, terms } = missing.notice;
      const finding = { kind: 'NOTICE', name, terms } as const;
      return { id, severity: missing.severity, remark: { message: describeMissing(missing), finding } };
    }),
  ];
}

/** The figures without evidence; none where there is no such explanation. */
function withoutEvidence(reader: LedgerReader, { id, text }: Pick<CheckedText, 'id' | 'text'>): CheckedFigure[] {
  const row = storedExplanation(reader, id);
  if (row === undefined) return [];
  // Read as the screen reads them: numbers, not the vendor's digits.
  const evidences = JSON.parse(row.evidences) as Evidence[];
  return openFiguresIn(text, row, evidences.map(fromStored));
}

/**
 * Refuses a text with words of severity BLOCK. Words of severity REVIEW pass once the person has acknowledged each of
 * them. The same holds for missing notices and for figures without evidence.
 *
 * @throws ApiError with every objection (D65): REVIEW4093 the blocked ones under the text's own path; the others under
 * `body.acknowledgedWords.{wordId}` and `body.acknowledgedFigures.{figure}`, with REVIEW4094, or REVIEW4098 where only
 * figures are left (D221)
 */
function refuseUnfit(screener: Screener, checked: CheckedText, found: readonly CheckedFigure[]): void {
  const { text, field, words, figures } = checked;
  const objections = objectionsTo(screener, text);
  const blocking = objections.filter(({ severity }) => severity === 'BLOCK');
  if (blocking.length > 0) {
    throw new ApiError(
      'REVIEW4093',
      'The text contains words that the screening policy blocks, or lacks a notice that it demands.',
      blocking.map(({ remark }) => ({ path: field, ...remark })),
    );
  }
  const open = objections
    .filter(({ id }) => !words.includes(id))
    .map(({ id, remark }) => ({ path: `body.acknowledgedWords.${id}`, ...remark }));
  const accepted = new Set(figures);
  const openToo = found
    .filter((figure) => !accepted.has(figure.text))
    .map((figure) => ({ path: `body.acknowledgedFigures.${figure.text}`, message: describeFigure(figure) }));
  if (open.length > 0) {
    throw new ApiError(
      'REVIEW4094',
      'The text contains words that a reviewer must check, or lacks a notice: acknowledge each of them.',
      [...open, ...openToo],
    );
  }
  if (openToo.length > 0) throw new ApiError('REVIEW4098', undefined, openToo);
  // The vendor's own text is the reviewer's to judge (`TEXT_UNFIT`).
  const flaw = field === 'summary' ? null : flawOf('text', text);
  if (flaw !== null) throw new ApiError('COMMON400', undefined, [{ path: field, message: flaw }]);
}

/**
 * Refuses a text written by a person when it cannot be screened (fail closed).
 *
 * @throws ApiError COMMON409
 */
function refuseWithoutPolicy(screener: Screener): void {
  if (screener.policyVersion !== null) return;
  throw new ApiError(
    'COMMON409',
    'No screening policy is active: a text that a person has written cannot be screened, so it cannot be shown.',
  );
}

/** What a person lets stand in a text, and the judgement of the text, which a move runs before it writes its rows (D6). */
export type ScreenedAgain = Required<Pick<MoveRequest, 'acknowledgement' | 'assertText'>>;

/** Screens a text that a person exposes, or lets wait for a second person. `assertText` throws an ApiError. */
export function screenAgain(reader: LedgerReader, active: ActiveScreener, checked: CheckedText): ScreenedAgain {
  const screener = active.of(reader);
  const words = new Set(objectionsTo(screener, checked.text).map(({ id }) => id));
  const found = withoutEvidence(reader, checked);
  const figures = new Set(found.map(({ text }) => text));
  return {
    acknowledgement: { matcherVersion: MATCHER_VERSION, wordsLetStand: [...words], figuresLetStand: [...figures] },
    assertText: () => {
      // Without a policy a reviewer may approve only the text as received.
      if (checked.field !== 'summary') refuseWithoutPolicy(screener);
      refuseUnfit(screener, checked, found);
    },
  };
}

/** The hit, its forbidden word if different, and its place; independent of language. */
export function describeHit({ start, end, matched, word }: RecordedHit): string {
  return `“${matched}”${matched === word ? '' : ` = “${word}”`} (${start}-${end})`;
}

/** The figure, its place and its verdict; independent of language. */
function describeFigure({ start, end, text, support }: CheckedFigure): string {
  return `“${text}” (${start}-${end}) ${support.state}`;
}

/** The missing notice and its accepted wordings; independent of language. */
function describeMissing({ notice: { name, terms } }: MissingNotice): string {
  return `∅ “${name}”: ${terms.map((term) => `“${term}”`).join(' | ')}`;
}

/** The checks that a text did not pass. */
export const failedChecks = (checks: readonly RecordedCheck[]): ReviewItem['reasons'] =>
  checks
    .filter(({ verdict }) => verdict !== 'PASS')
    .map(withMessage)
    .map(({ policyVersion: _, matcherVersion: __, ...reason }) => reason);

/** Ids of the words and notices that a check has reported to the reviewer. */
export function broughtUpBy({ hits, check, parameters }: RecordedCheck): string[] {
  const notices = check === 'REQUIRED_NOTICE' ? String(parameters['ids'] ?? '').split(' ') : [];
  return [...hits.map(({ wordId }) => wordId), ...notices];
}
