/** Facts and trends of random ledgers against the reference. `CAUSEWAY_TEST_SEED=17` runs seed 17 alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseQueues, databaseWorkflows } from '../../../cloud/facts/adapters/database.ts';
import { postgresKind } from '../../support/cloud/store.ts';
import { isSeedAsked, newSeed, runs } from '../../support/runs.ts';
import { FactsFixture, NOW, TODAY } from './fixture.ts';
import { Chance, randomLedger } from './random-ledger.ts';
import { referenceEntityResolution, referenceIntraday } from './reference-movements.ts';
import { referenceFacts } from './reference.ts';

const first = newSeed();
const seeds = isSeedAsked ? 1 : runs(8, 300);

/** No day given: the server chooses it. */
const ASKED = [null, TODAY, '2026-11-19', '2026-11-14', '2026-11-09', '2026-11-12'];

let fixture: FactsFixture;
beforeAll(async () => {
  fixture = await FactsFixture.open(postgresKind);
  await fixture.serve('outside', {
    workflows: databaseWorkflows(fixture.store, fixture.databaseClock),
    queues: databaseQueues(fixture.store),
  });
});
afterAll(() => fixture.close());

test(`${seeds} seeds from ${first} on`, { timeout: 60_000 + seeds * 2_000 }, async () => {
  const now = NOW.toISOString();
  for (let seed = first; seed < first + seeds; seed += 1) {
    await fixture.clear();
    const { ledger, busy } = randomLedger(seed);
    await fixture.put(ledger);
    const chance = new Chance(-seed);
    const asked = chance.of([busy, busy, busy, busy, ...ASKED]);
    const outside = chance.maybe();
    const last = asked ?? TODAY;
    const days = 1 + chance.below(25);
    const label = `CAUSEWAY_TEST_SEED=${seed}`;
    expect(await fixture.facts(asked, outside ? 'outside' : 'bare'), label).toStrictEqual(
      referenceFacts(ledger, now, asked, outside),
    );
    expect((await fixture.ask(`trends/entity-resolution?date=${last}`)).result, label).toStrictEqual(
      referenceEntityResolution(ledger, last),
    );
    expect((await fixture.ask(`trends/intraday-analysis?maxDate=${last}&days=${days}`)).result, label).toStrictEqual(
      referenceIntraday(ledger, now, last, days),
    );
  }
});
