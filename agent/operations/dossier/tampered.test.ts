/** Somebody changes the ledger itself, past its guards: no dossier is made of it afterwards (D156). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newAt } from '../../../test/support/agent/intake.ts';
import type { SubjectQuery } from '../../ledger/dossier/collect.ts';
import { unseal } from '../../ledger/dossier/container.ts';
import { RECORD, recordSchema } from '../../ledger/dossier/contents.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { DossierFixture, IDS, TICKER } from '../../../test/support/agent/dossier.ts';
import { verifyDossier } from './verify.ts';

let fixture: DossierFixture;
beforeEach(() => {
  fixture = new DossierFixture();
});
afterEach(() => fixture.close());

const ONE = { kind: 'EXPLANATION', id: IDS.shown } as const;
const span = (): SubjectQuery => ({ kind: 'SPAN', ticker: TICKER, from: '2026-11-20T05:00:00.000Z', to: fixture.at });

async function linesOf(asked: SubjectQuery): Promise<string[]> {
  const pinned = {
    vendor: [fixture.vendor.publicKey],
    tenant: [fixture.tenant.publicKey],
    checkpoints: { text: fixture.checkpoints },
  };
  return [...verifyDossier(await fixture.make(asked), pinned)];
}

const GUARD = 'state_history_is_never_updated';

/** Changes rows of the state history, whose guard stands again afterwards. */
function past(...statements: { sql: string; parameters: unknown[] }[]): void {
  fixture.ledger.write((tx) => {
    const guard = tx.first<{ sql: string }>({
      sql: 'SELECT sql FROM sqlite_master WHERE name = ?',
      parameters: [GUARD],
    });
    for (const each of [
      { sql: `DROP TRIGGER ${GUARD}`, parameters: [] },
      ...statements,
      { sql: guard?.sql ?? '', parameters: [] },
    ])
      tx.run(each);
  });
}

test('a text of another explanation of the ticker, forged in the ledger, keeps the dossier of one from being made', async () => {
  const told = recordSchema.parse(
    JSON.parse(Buffer.from(unseal(await fixture.make(ONE)).files.get(RECORD) ?? []).toString()),
  );
  expect(told.explanations.map(({ id }) => id)).toEqual([IDS.shown, IDS.edited]);
  const [text, id] = ['전혀 다른 문장', IDS.edited];
  past(
    {
      sql: 'UPDATE state_history SET published_summary = ? WHERE explanation_id = ? AND published_summary IS NOT NULL',
      parameters: [text, id],
    },
    { sql: 'UPDATE explanation SET published_summary = ? WHERE id = ?', parameters: [text, id] },
  );
  await expect(linesOf(ONE)).rejects.toThrow(IDS.edited);
  await expect(linesOf(span())).rejects.toThrow(IDS.edited);
});

test('a move of the program that was taken out of the history is missed, in the log that goes on behind it', async () => {
  past({
    sql: "UPDATE state_history SET explanation_id = ? WHERE explanation_id = ? AND move = 'receive'",
    parameters: [IDS.gone, IDS.edited],
  });
  await expect(linesOf(span())).rejects.toThrow(`a row of the audit log is missing before row`);
});

test('the moves of an explanation that stood in no span are held against the audit log too', async () => {
  fixture.receive(newAt(5, 'waiting', { summary: '지금은 매수 시점입니다.' }));
  const id = explanationId('waiting');
  for (const asked of [ONE, span()]) await expect(linesOf(asked)).resolves.not.toEqual([]);
  past({ sql: 'UPDATE state_history SET actor = ? WHERE explanation_id = ?', parameters: ['다른 사람', id] });
  for (const asked of [ONE, span()])
    await expect(linesOf(asked)).rejects.toThrow(`The record of the explanation ${id} does not match`);
});
