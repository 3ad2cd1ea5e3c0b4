/** What a request finds in the ledger is what a verifier of its archive takes for meant. */
import { expect, test } from 'vitest';
import { listedOf } from '../../ledger/dossier/collect.ts';
import { findInspected } from '../../ledger/inspection/find.ts';
import { newEntry, receive, testLedger } from '../../../test/support/agent/ledger.ts';
import { unmet } from './check-query.ts';

const SPAN = { from: '2026-11-01', to: '2026-11-30' };

test('words of a text and of a reason, in any form of their letters', () => {
  const { ledger } = testLedger();
  const summary = '나스닥 TIGER 50% 상승';
  const id = ledger.write((tx) => receive(tx, newEntry('a', { summary })));
  const reasons = ['SOLICITATION', 'OTHER: 기타 사정', 'SOLICITATIONS', 'hand-written'];
  const nfd = (text: string): string => text.normalize('NFD');
  for (const word of [
    '나스닥',
    nfd('나스닥'),
    'ＴＩＧＥＲ',
    'tiger',
    '50%',
    '5_%',
    '코스닥',
    summary,
    '나스 닥\u00a0TIGER',
    '나스닥TIGER',
  ]) {
    const found = [...findInspected(ledger, { ...SPAN, word })].flat().length === 1;
    expect([word, unmet(listedOf(ledger, id), [], { ...SPAN, word }) === null]).toEqual([word, found]);
  }
  for (const told of reasons) {
    ledger.write((tx) =>
      tx.run({
        sql: `INSERT INTO state_history (explanation_id, move, to_status, actor, at, position, reason)
          VALUES (?, 'reject', 'REJECTED', '심사자', '2026-11-20T08:00:00.000Z', '1', ?)`,
        parameters: [id, told],
      }),
    );
    for (const reason of ['투자권유', nfd('투자'), 'solicit', '기타', 'HAND', '확정수익', told]) {
      const found = [...findInspected(ledger, { ...SPAN, reason })].flat().length === 1;
      expect([reason, unmet(listedOf(ledger, id), [], { ...SPAN, reason }) === null]).toEqual([reason, found]);
    }
  }
});
