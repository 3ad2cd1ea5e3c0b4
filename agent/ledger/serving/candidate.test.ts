/** What is exposed follows from the vendor's cursors and people's acts, never from when an entry was applied (D202). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { explanationId } from '../explanations/explanations.ts';
import { publishPolicy } from '../policy/versions.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../storage/ledger.ts';
import { moveCursors, newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../transitions.ts';
import { addChannel } from './channels.ts';
import { exposedExplanation } from './visibility.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const AT = NOW.toISOString();
const PERSON = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;

type Step =
  | { kind: 'new'; minute: number; isExposable: boolean }
  | { kind: 'withdraw'; nth: number }
  | { kind: 'act'; nth: number; move: 'stop' | 'approve' | 'move-to-review' }
  /** The Intake goes on with this many entries. */
  | { kind: 'apply'; entries: number };

const nth = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('new'), minute: fc.nat(9), isExposable: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw'), nth }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('act'), nth, move: fc.constantFrom('stop', 'approve', 'move-to-review') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('apply'), entries: fc.integer({ min: 1, max: 3 }) }) },
);

type Entry = { cursor: number; name: string } & (
  | { kind: 'new'; minute: number; isExposable: boolean }
  | { kind: 'withdraw' }
);

/** A tenant whose Intake applies at once, or later with withdrawals ahead of the rest (D169). */
class Tenant {
  readonly ledger: Ledger = openLedger(':memory:');
  readonly #isPrompt: boolean;
  readonly #waiting: Entry[] = [];
  /** Each case has one of its own. */
  ticker = '';
  #committed = 0;
  #applied = 0;

  constructor(isPrompt: boolean) {
    this.#isPrompt = isPrompt;
    this.ledger.write((tx) => {
      addChannel(tx, { channel: 'MTS', key: 'k', at: AT });
      publishPolicy(tx, { snapshot: SEED_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: AT });
    });
  }

  commit(entry: Entry): void {
    this.#committed = entry.cursor;
    this.#waiting.push(entry);
    this.ledger.write((tx) => {
      this.#cursors(tx);
      if (!this.#isPrompt) this.#withdrawKnown(tx);
    });
    if (this.#isPrompt) this.apply(1);
  }

  apply(entries: number): void {
    for (const entry of this.#waiting.slice(0, entries))
      this.ledger.write((tx) => {
        if (entry.kind === 'new') {
          const fields = {
            etf_ticker: this.ticker,
            explanation_as_of: `2026-11-20T01:0${entry.minute}:00.000Z`,
            summary: entry.name,
          };
          const { cursor } = entry;
          receive(
            tx,
            newEntry(entry.name, fields, { cursor }),
            entry.isExposable ? 'AUTO_PUBLISHED' : 'PENDING_REVIEW',
            AT,
          );
        } else this.#withdraw(tx, entry);
        this.#applied = entry.cursor;
        this.#waiting.shift();
        this.#cursors(tx);
        this.#withdrawKnown(tx);
      });
  }

  /** Whether the state allows it. */
  act(name: string, move: 'stop' | 'approve' | 'move-to-review'): boolean {
    try {
      this.ledger.write((tx) => applyMove(tx, { id: explanationId(name), move, actor: PERSON, at: AT, reason: 'x' }));
      return true;
    } catch {
      return false;
    }
  }

  get exposedText(): string | undefined {
    return exposedExplanation(this.ledger, this.ticker, 'MTS', NOW)?.text;
  }

  #withdrawKnown(tx: LedgerTransaction): void {
    for (const entry of this.#waiting) if (entry.kind === 'withdraw') this.#withdraw(tx, entry);
  }

  #withdraw(tx: LedgerTransaction, { cursor, name }: Entry): void {
    const id = explanationId(name);
    try {
      applyMove(tx, { id, move: 'invalidate', actor: { kind: 'SYSTEM' }, at: AT, cursor, reason: 'x' });
    } catch {
      // It has not come yet, or is withdrawn.
    }
  }

  #cursors(tx: LedgerTransaction): void {
    moveCursors(tx, { committed: this.#committed, applied: this.#applied });
  }
}

test('the same entries and acts expose the same, applied at once or late with withdrawals first', () => {
  const [prompt, late] = [new Tenant(true), new Tenant(false)];
  let cursor = 0;
  let cases = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }), (steps) => {
      const names: string[] = [];
      prompt.ticker = late.ticker = `T${(cases += 1)}`;
      try {
        for (const each of steps) {
          const name = 'nth' in each ? names[each.nth % names.length] : `문장 ${cursor + 1}`;
          if (each.kind === 'apply') late.apply(each.entries);
          else if (name === undefined) continue;
          else if (each.kind === 'act') fc.pre(prompt.act(name, each.move) === late.act(name, each.move));
          else {
            cursor += 1;
            if (each.kind === 'new') names.push(name);
            for (const tenant of [prompt, late]) tenant.commit({ ...each, cursor, name });
          }
        }
      } finally {
        late.apply(steps.length);
      }
      expect(late.exposedText).toBe(prompt.exposedText);
    }),
    { numRuns: runs(100, 5_000) },
  );
  prompt.ledger.close();
  late.ledger.close();
});
