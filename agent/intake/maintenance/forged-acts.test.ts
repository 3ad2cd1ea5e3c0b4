/**
 * What somebody appends who can write the file and has no key of the host or the vendor: decisions of a person or of the
 * program, sealed rows once more, bundles, and withdrawals put aside. `verify` and `backup` find each (D199).
 */
import { renameSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeVendorKey, statementOf } from '../../../test/support/vendor-key.ts';
import { appendRow, recordAction, type Actor } from '../../ledger/audit/audit.ts';
import { UNMATCHED_HASH } from '../../../shared/service/accounts/passwords.ts';
import { registerMember } from '../../ledger/accounts/member-changes.ts';
import { openSession } from '../../ledger/accounts/sessions.ts';
import { explanationId } from '../../ledger/explanations/explanations.ts';
import { HistoryMismatchError, textDigest } from '../../ledger/explanations/history-mismatch.ts';
import { rememberedOf } from '../../ledger/explanations/history.ts';
import { putHistoryOnRecord } from '../../ledger/explanations/history-check.ts';
import { withCriteria } from '../../ledger/policy/changes.ts';
import { publishPolicy } from '../../ledger/policy/versions.ts';
import { SEED_POLICY } from '../../screening/seed/seed-policy.ts';
import { holdWithdrawal, SUPERSEDED } from '../../ledger/inbox/entries.ts';
import { transitionsWith } from '../../ledger/explanations/transitions.ts';
import { rawBundleAfter } from '../../ledger/inbox/raw-bundles.ts';
import { recordKeyFile } from '../../ledger/made/record-key.ts';
import { openChannel } from '../../ledger/serving/channels.ts';
import { exposedExplanation } from '../../ledger/serving/visibility.ts';
import { openLedger, type Ledger, type LedgerTransaction } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { testLedger } from '../../../test/support/agent/ledger.ts';
import { applyMove } from '../../ledger/transitions.ts';
import { applyNext } from '../apply/apply.ts';
import { entriesOf } from '../apply/committed-entries.ts';
import type { RawEntry } from '../apply/entry.ts';
import { stateColumns } from '../apply/explanation-faults.ts';
import { backupLedger } from '../backup/backup.ts';
import {
  changeOnDisk,
  commitEntries,
  explanationRow,
  invalidationAt,
  newAt,
  partsOn,
  reviewer,
  type WholeParts,
} from '../../../test/support/agent/intake.ts';
import { rebuildLedger } from './rebuild.ts';
import { verifyLedger } from './verify.ts';

const NOW = '2026-11-20T08:00:00.000Z';
const FORGED = '이 상품은 확정 수익을 드립니다. 지금 매수하십시오.';
const vendor = makeVendorKey();

let ledger: Ledger;
let file: string;
let parts: WholeParts;
beforeEach(() => {
  ({ ledger, file } = testLedger());
  parts = partsOn(ledger, NOW);
  ledger.write((tx) => openChannel(tx, { channel: 'MTS', key: 'k', at: NOW }));
  const account = { username: 'jiwoo', displayName: reviewer.displayName, passwordHash: UNMATCHED_HASH };
  ledger.write((tx) =>
    registerMember(tx, { id: reviewer.id, ...account, role: 'COMPLIANCE_REVIEWER', actor: reviewer, at: NOW }),
  );
  receive([
    newAt(1, 'automatic', other(1)),
    newAt(2, 'waiting', { ...other(2), summary: '지금은 매수 시점입니다.' }),
    invalidationAt(3, 'later'),
  ]);
  expect(verifyLedger(ledger, [vendor.publicKey])).toMatchObject({ findings: [], unjudged: [] });
});

const other = (n: number) => ({ etf_ticker: `${n}`.repeat(6), etf_instrument_id: `i${n}` });

function commit(entries: RawEntry[], signer: typeof vendor | null = vendor): void {
  const at = new Date(NOW);
  commitEntries(ledger, entries, NOW, signer === null ? null : (of) => statementOf(signer, { ...of, at }));
}
function apply(): void {
  while (applyNext(parts)) continue;
}
function receive(entries: RawEntry[]): void {
  commit(entries);
  apply();
}

/** As somebody who can write the file, and has not the host's key. */
function withoutKey(work: (tx: LedgerTransaction) => void): void {
  const key = recordKeyFile(file) ?? '';
  renameSync(key, `${key}.away`);
  const strange = openLedger(file);
  strange.write(work);
  strange.close();
  renameSync(`${key}.away`, key);
}

const exposedText = (n: number): string | undefined =>
  exposedExplanation(ledger, `${n}`.repeat(6), 'MTS', new Date('2026-11-20T09:00:00.000Z'))?.text;
const by = (id: string, minute: number) => ({
  ...{ id: explanationId(id), actor: reviewer, at: `2026-11-20T08:${minute}:00.000Z`, reason: '확인' },
});

async function isFound(words: RegExp): Promise<void> {
  expect(verifyLedger(ledger, [vendor.publicKey]).findings).toContainEqual(expect.stringMatching(words));
  await expect(backupLedger(ledger, `${file}.copy`)).rejects.toThrow();
}
const UNSEALED = /written without the record key\.$/;

describe('an act without a seal', () => {
  test.each([
    ['of a person under the role of the program', { ...reviewer, role: 'SYSTEM' } as unknown as Actor],
    ['of the program', { kind: 'SYSTEM' } as const satisfies Actor],
  ])('%s', async (_, actor) => {
    withoutKey((tx) => {
      applyMove(tx, { ...by('waiting', 20), actor, move: 'approve', comment: '확인' });
      applyMove(tx, { ...by('waiting', 21), actor, move: 'correct', editedSummary: FORGED });
    });
    expect(exposedText(2)).toBe(FORGED);
    await isFound(UNSEALED);
  });

  test('that puts an altered history on record', async () => {
    withoutKey((tx) => putHistoryOnRecord(tx, explanationId('waiting'), NOW, 'x'));
    await isFound(UNSEALED);
  });

  test('that begins a session', () => {
    const opened = new Date('2026-11-20T08:30:00.000Z');
    withoutKey((tx) => {
      recordAction(tx, {
        at: opened.toISOString(),
        actor: { ...reviewer, role: 'SYSTEM' } as unknown as Actor,
        action: 'auth.login',
        targetType: 'member',
        targetId: reviewer.id,
        detail: {},
      });
      openSession(tx, reviewer.id, opened, { idleMs: 60_000, absoluteMs: 60_000 });
    });
    expect(verifyLedger(ledger, [vendor.publicKey]).findings).toContainEqual(expect.stringMatching(UNSEALED));
  });
});

describe('a sealed row once more, with a copy of its move', () => {
  function again(id: string, move: string): void {
    ledger.write((tx) => {
      const of = explanationId(id);
      const [row] = tx.all(
        sqlite
          .selectFrom('console_action_log')
          .selectAll()
          .where('action', '=', `explanation.${move}`)
          .where('target_id', '=', of),
      );
      const [told] = tx.all(
        sqlite
          .selectFrom('state_history')
          .selectAll()
          .where('explanation_id', '=', of)
          .where('move', '=', move as never),
      );
      if (row === undefined || told === undefined) throw new TypeError('no such move');
      appendRow(tx, row);
      const last = Math.max(...tx.all(sqlite.selectFrom('state_history').select('id')).map((each) => each.id));
      tx.run(sqlite.insertInto('state_history').values({ ...told, id: last + 1 }));
      const standing = rememberedOf(tx, of, explanationRow(ledger, id)?.summary ?? '');
      if (standing !== undefined)
        tx.run(sqlite.updateTable('explanation').set(stateColumns(standing)).where('id', '=', of));
    });
  }

  test('a correction that a later one had replaced', async () => {
    ledger.write((tx) =>
      applyMove(tx, { ...by('automatic', 10), move: 'correct', editedSummary: '두 배로 올랐습니다.' }),
    );
    ledger.write((tx) => applyMove(tx, { ...by('automatic', 20), move: 'correct', editedSummary: '조금 올랐습니다.' }));
    again('automatic', 'correct');
    expect(exposedText(1)).toBe('두 배로 올랐습니다.');
    await isFound(/is row \d+ once more\.$/);
  });

  test('an approval that was taken back', async () => {
    ledger.write((tx) => applyMove(tx, { ...by('waiting', 10), move: 'approve', comment: '확인' }));
    ledger.write((tx) => applyMove(tx, { ...by('waiting', 20), move: 'move-to-review' }));
    again('waiting', 'approve');
    await isFound(/is row \d+ once more\.$/);
  });

  test('the reception of a text that was stopped', async () => {
    ledger.write((tx) => applyMove(tx, { ...by('automatic', 10), move: 'stop' }));
    again('automatic', 'receive');
    await isFound(/receives it again at/);
  });

  test('a change by the vendor after which a person stopped the text', async () => {
    receive([newAt(4, 'automatic', { ...other(1), summary: '지수가 다시 올랐습니다.' })]);
    ledger.write((tx) => applyMove(tx, { ...by('automatic', 10), move: 'stop' }));
    again('automatic', 'text-changed');
    expect(exposedText(1)).toBeDefined();
    await isFound(/the text-changed of .* is there once more \(row \d+ of the audit log\)/);
  });
});

describe('a state that is written by hand', () => {
  const write = (id: string, status: 'AUTO_PUBLISHED' | 'PENDING_REVIEW') => {
    const set = { status, published_summary: FORGED };
    ledger.write((tx) => tx.run(sqlite.updateTable('explanation').set(set).where('id', '=', explanationId(id))));
  };
  const move = (id: string, minute: number, name: 'approve' | 'block' | 'reject' | 'stop') =>
    ledger.write((tx) => applyMove(tx, { ...by(id, minute), move: name }));

  test.each([
    ['waiting', 'block'],
    ['waiting', 'reject'],
    ['automatic', 'stop'],
  ] as const)('nobody approves what a person has left: %s, %s', async (id, name) => {
    move(id, 10, name);
    write(id, 'PENDING_REVIEW');
    expect(() => move(id, 20, 'approve')).toThrow(HistoryMismatchError);
    await isFound(/is not in the state that its history gives/);
  });

  test('what is exposed by it can be stopped, and stays a finding until a rebuild has put it on record', async () => {
    move('waiting', 10, 'block');
    write('waiting', 'AUTO_PUBLISHED');
    expect(exposedText(2)).toBe(FORGED);
    move('waiting', 20, 'stop');
    expect(exposedText(2)).toBeUndefined();
    await isFound(/the stop of .* goes on from AUTO_PUBLISHED, and the move before it has ended in BLOCKED/);
    rebuildLedger(parts);
    expect(verifyLedger(ledger, [vendor.publicKey])).toMatchObject({
      findings: [],
      notices: [expect.stringContaining('when a rebuild put it on record')],
    });
    expect(exposedText(2)).toBeUndefined();
  });
});

test('a second approval without the first one', async () => {
  const fourEyes = { before: () => ({ detail: { firstApprovedBy: '동료', firstApprovedById: 'colleague' } }) };
  const { applyMove: approve } = transitionsWith([fourEyes]);
  ledger.write((tx) => approve(tx, { ...by('waiting', 10), move: 'approve-edited', editedSummary: FORGED }));
  expect(exposedText(2)).toBe(FORGED);
  await isFound(/row \d+ of the audit log approves an edit of .* after a first approval that no row tells of/);
});

test('an edit that one person let out, under a policy that asked for one for a moment', async () => {
  const snapshot = withCriteria(SEED_POLICY, { fourEyes: true });
  ledger.write((tx) => publishPolicy(tx, { snapshot, changes: [], actor: { kind: 'SYSTEM' }, at: NOW }));
  const { applyMove: approve } = transitionsWith([]);
  ledger.write((tx) => approve(tx, { ...by('waiting', 10), move: 'approve-edited', editedSummary: FORGED }));
  expect(exposedText(2)).toBe(FORGED);
  await isFound(/row \d+ of the audit log approves an edit of .* by one person, and its policy asks for two/);
});

describe('a bundle of nobody, after one that the vendor has signed', () => {
  test.each([
    ['without a statement', null],
    ['with a statement of another key', makeVendorKey()],
  ])('%s', (_, signer) => {
    const v2 = { analysis_engine: 'v2', explanation_type: null, confidence_level: null } as const;
    commit([newAt(4, 'forged', { ...other(7), summary: FORGED, ...v2 })], signer);
    apply();
    expect(exposedText(7)).toBe(FORGED);
    expect(verifyLedger(ledger, [vendor.publicKey]).findings).toEqual([
      'No key at hand has signed the raw bundle after cursor 3, and one has signed an earlier one.',
    ]);
  });
});

test('a withdrawal that waits for a text to come, and that no bundle holds, is found after it as well', async () => {
  ledger.write((tx) => holdWithdrawal(tx, { targetId: 'next', cursor: 3, reason: 'x', at: NOW }));
  receive([newAt(4, 'next', other(4))]);
  expect(exposedText(4)).toBeUndefined();
  await isFound(
    /^The explanation next stays withdrawn, though no record withdraws it any more, and none was set aside/,
  );
  rebuildLedger(parts);
  expect(verifyLedger(ledger)).toMatchObject({ findings: [], notices: [expect.stringContaining('stays withdrawn')] });
});

describe('an entry that is put on record as superseded', () => {
  function aside(tx: LedgerTransaction, cursor: number, from: number): void {
    const raw = rawBundleAfter(tx, from);
    const text = raw === undefined ? undefined : entriesOf(raw).find(({ entry }) => entry.cursor === cursor)?.text;
    const row = { cursor, cursor_from: from, reason: SUPERSEDED, entry: text?.whole ?? '', rejected_at: NOW };
    tx.run(sqlite.insertInto('rejected_entry').values(row));
  }

  test('a withdrawal while it waits for its original', async () => {
    ledger.write((tx) => {
      tx.run(sqlite.deleteFrom('held_invalidation'));
      aside(tx, 3, 0);
    });
    receive([newAt(4, 'later', other(5))]);
    expect(exposedText(5)).toBeDefined();
    await isFound(/^The withdrawal at cursor 3 is on record as rejected, and it fits: "intake replay" applies it\.$/);
  });

  test('a withdrawal before it is applied', async () => {
    commit([invalidationAt(4, 'automatic')]);
    ledger.write((tx) => {
      aside(tx, 4, 3);
      tx.run(sqlite.updateTable('sync_state').set({ applied_cursor: 4 }));
    });
    expect(exposedText(1)).toBeDefined();
    await isFound(/^The withdrawal at cursor 4 is on record as rejected/);
  });

  test('a text that no later one has overtaken', async () => {
    commit([newAt(4, 'next', other(4))]);
    ledger.write((tx) => {
      aside(tx, 4, 3);
      tx.run(sqlite.updateTable('sync_state').set({ applied_cursor: 4 }));
    });
    await isFound(
      /^The entry at cursor 4 is on record as superseded, and no later one of its explanation is applied\.$/,
    );
  });
});

describe('an act in good faith on what somebody has altered for a moment', () => {
  const STATED = '지금은 매수 시점입니다.';
  const approve = () => ledger.write((tx) => applyMove(tx, { ...by('waiting', 20), move: 'approve', comment: '확인' }));
  const put = (text: string, isDigest = false): void =>
    changeOnDisk(
      file,
      `UPDATE explanation SET summary = '${text}' WHERE explanation_result_id = 'waiting';
       ${isDigest ? `DROP TRIGGER IF EXISTS state_history_is_never_updated; UPDATE state_history SET text_sha256 = x'${textDigest(text).toString('hex')}' WHERE move = 'receive' AND explanation_id = '${explanationId('waiting')}'` : ''}`,
    );

  test('nobody approves a text that did not come, and where its digest was altered as well it is found', async () => {
    put(FORGED);
    expect(approve).toThrow(HistoryMismatchError);
    put(FORGED, true);
    approve();
    put(STATED);
    expect(exposedText(2)).toBe(FORGED);
    const found = /history of an explanation .* the (receive|approve) of .* is not of the text that had come/;
    await isFound(found);
    put(STATED, true);
    await isFound(found);
  });

  test.each(['a stop', 'a withdrawal'])('a hold that no move tells makes of %s no undo', (what) => {
    const held = `UPDATE explanation SET held_until = '2026-11-21T00:00:00.000Z' WHERE explanation_result_id = 'automatic'`;
    changeOnDisk(file, held);
    if (what === 'a withdrawal') receive([invalidationAt(4, 'automatic')]);
    else ledger.write((tx) => applyMove(tx, { ...by('automatic', 20), move: 'stop' }));
    const hold = sqlite.selectFrom('state_history').select('during_hold').orderBy('id', 'desc').limit(1);
    expect(ledger.first(hold)).toEqual({ during_hold: 0 });
  });
});
