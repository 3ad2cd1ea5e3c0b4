/**
 * Invariants of a rebuild, after any entries and any decisions: the ledger verifies. A rebuild of a damaged
 * domain brings back all that was there, every human decision included (D36).
 */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { openLedger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { rebuildLedger } from './rebuild.ts';
import { replayRejected } from './replay.ts';
import { unprovedTexts } from './unproved-texts.ts';
import { verifyLedger } from './verify.ts';
import { derive } from '../apply/projection.ts';
import { changeOnDisk } from '../../../test/support/agent/intake.ts';
import {
  applyWaiting,
  DAMAGES,
  damage,
  domainOf,
  forgets,
  isBehind,
  isOnlyBehind,
  neverBroken,
  exposedBy,
  step,
  TEXTS,
  versionsOf,
  withLedger,
  type Step,
} from '../../../test/support/agent/rebuild.ts';
import { runs } from '../../../test/support/runs.ts';

test('a ledger that nothing has damaged is sound, and a rebuild changes nothing', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) =>
      withLedger('memory', steps, (ledger, parts) => {
        expect(verifyLedger(ledger).findings).toEqual([]);
        // The log names the bundle of every text (D199), also where no key at hand has signed any.
        expect(unprovedTexts(ledger, derive(ledger), () => false)).toEqual([]);
        const before = domainOf(ledger);
        expect(rebuildLedger(parts)).toEqual({ restored: 0, corrected: 0, withdrawn: 0, left: 0 });
        expect(domainOf(ledger)).toEqual(before);
      }),
    ),
    { numRuns: runs(12, 60) },
  );
});

test('after any damage to the domain, a rebuild restores it', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 15 }),
      fc.uniqueArray(fc.constantFrom(...DAMAGES), { minLength: 1, maxLength: 3 }),
      (steps, damages) =>
        // Another connection, without the guards, damages the file.
        withLedger('file', damages.some(forgets) ? steps.map(neverBroken) : steps, (ledger, parts) => {
          const [before, versions] = [domainOf(ledger), versionsOf(ledger)];
          const made = damage(ledger, damages);
          const isDamaged = JSON.stringify(domainOf(ledger)) !== JSON.stringify(before);
          const { findings } = verifyLedger(ledger);
          if (isDamaged && !isOnlyBehind(made)) expect(findings).not.toEqual([]);
          rebuildLedger(parts);
          if (isBehind(made)) applyWaiting(parts);
          expect(domainOf(ledger)).toEqual(before);
          for (const [row, version] of versions) expect(versionsOf(ledger).get(row)).toBeGreaterThanOrEqual(version);
          expect(verifyLedger(ledger).findings).toEqual([]);
          expect(unprovedTexts(ledger, derive(ledger), () => false)).toEqual([]);
        }),
    ),
    {
      numRuns: runs(8, 40),
      // A forged sector on a ticker that the rebuild hides meanwhile: the row that shows it again told the forged one.
      examples: [
        [
          [
            {
              kind: 'NEW',
              id: 'a',
              summary: '반도체 수출이 늘었습니다.',
              ticker: '069500',
              engine: 'v1',
              breaks: false,
              market: 'KRX',
            },
          ],
          ["DELETE FROM explanation WHERE explanation_result_id = 'a'", "UPDATE instrument SET sector = 'forged'"],
        ],
      ],
    },
  );
});

test('at no step of a rebuild is a text exposed that was not exposed before the damage (D20)', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 15 }),
      fc.uniqueArray(fc.constantFrom(...DAMAGES), { minLength: 1, maxLength: 3 }),
      (steps, damages) =>
        withLedger('file', damages.some(forgets) ? steps.map(neverBroken) : steps, (ledger, parts) => {
          const other = openLedger(ledger.file);
          try {
            const [before, exposed] = [domainOf(ledger), exposedBy(other)];
            const made = damage(ledger, damages);
            const write = ledger.write.bind(ledger);
            const spy = vi.spyOn(ledger, 'write').mockImplementation((work) => {
              const done = write(work);
              for (const [ticker, text] of exposedBy(other)) expect([undefined, exposed.get(ticker)]).toContain(text);
              return done;
            });
            rebuildLedger(parts, 1);
            spy.mockRestore();
            if (isBehind(made)) applyWaiting(parts);
            expect(exposedBy(other)).toEqual(exposed);
            expect(domainOf(ledger)).toEqual(before);
          } finally {
            other.close();
          }
        }),
    ),
    { numRuns: runs(3, 12) },
  );
});

test.each<[Step, string]>([
  [{ kind: 'WITHDRAWAL', id: 'a' }, 'DELETE FROM held_invalidation'],
  [{ kind: 'MISFIT' }, 'DELETE FROM rejected_entry'],
])('%o of which nothing tells that it was applied waits for the Intake, which applies it again', (come, loss) => {
  withLedger('file', [come], (ledger, parts) => {
    const before = domainOf(ledger);
    for (const sql of ['UPDATE sync_state SET applied_cursor = applied_cursor / 2', loss])
      changeOnDisk(ledger.file, sql);
    rebuildLedger(parts);
    applyWaiting(parts);
    expect(domainOf(ledger)).toEqual(before);
    expect(verifyLedger(ledger).findings).toEqual([]);
  });
});

test('an entry that was applied and is on record as rejected all the same withdraws nothing', () => {
  const come = { kind: 'NEW', id: 'a', ticker: '069500', engine: 'v1', market: null } as const;
  withLedger('file', [{ ...come, summary: TEXTS[0] ?? '' }], (ledger, parts) => {
    const before = domainOf(ledger);
    changeOnDisk(ledger.file, "INSERT INTO rejected_entry VALUES (1, 0, 'forged', '{}', 'now')");
    expect(verifyLedger(ledger).findings).toEqual([
      'An entry at cursor 1 is on record as rejected that was applied, or never committed.',
    ]);
    rebuildLedger(parts);
    expect(domainOf(ledger)).toEqual(before);
  });
});

test('a replay does not apply an entry that a later one has overtaken, and no rebuild exposes it', () => {
  const [clean = '', reviewed = ''] = TEXTS;
  const come = { kind: 'NEW', id: 'a', ticker: '069500', engine: 'v1', market: null } as const;
  const steps: Step[] = [{ ...come, summary: reviewed, breaks: true }, { ...come, summary: clean }, { kind: 'REPLAY' }];
  withLedger('memory', steps, (ledger, parts) => {
    expect(replayRejected(parts)).toEqual({ applied: [], superseded: [1], rejected: [] });
    expect(verifyLedger(ledger).findings).toEqual([]);
    expect(rebuildLedger(parts).corrected).toBe(0);
    const row = ledger.first(sqlite.selectFrom('explanation').select(['status', 'published_summary']));
    expect(row).toEqual({ status: 'AUTO_PUBLISHED', published_summary: clean });
  });
});

test('without its history too, all is derived again: no withdrawn text is exposed, and the counts are right', () => {
  const come = (id: string, summary = TEXTS[0] ?? ''): Step => ({
    kind: 'NEW',
    id,
    summary,
    ticker: '069500',
    engine: 'v1',
    market: 'KRX',
  });
  withLedger('file', [come('a'), { kind: 'WITHDRAWAL', id: 'a' }, come('b'), come('c', TEXTS[1])], (ledger, parts) => {
    changeOnDisk(
      ledger.file,
      `DROP TRIGGER state_history_is_never_deleted; DELETE FROM state_history; DROP TRIGGER screening_is_never_deleted; DELETE FROM screening; DELETE FROM explanation`,
    );
    expect(rebuildLedger(parts)).toMatchObject({ restored: 3 });
    const rows = ledger.all(sqlite.selectFrom('explanation').select(['explanation_result_id', 'status']));
    expect(rows.map(({ explanation_result_id, status }) => [explanation_result_id, status])).toEqual([
      ['a', 'INVALIDATED'],
      ['b', 'AUTO_PUBLISHED'],
      ['c', 'PENDING_REVIEW'],
    ]);
    expect(verifyLedger(ledger).findings).toEqual([]);
  });
});
