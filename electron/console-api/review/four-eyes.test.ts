/** Four eyes, if the policy requires them: who may approve an edited text, and what voids an approval. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activePolicy, activePolicyVersion, publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { followHistory } from '../../../agent/ledger/explanations/history-check.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { SEED_POLICY } from '../../../agent/screening/seed/seed-policy.ts';
import type {
  Page,
  PolicyProposal,
  ReviewDetail,
  ReviewItem,
  TimelineEntry,
} from '../../../shared/wire/console/console.ts';
import { TestConsole, type Answer } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let first: string;
let second: string;
beforeEach(() => {
  console = new TestConsole({ seed: 'four eyes' });
  first = console.session('COMPLIANCE_REVIEWER');
  second = console.colleague('second', '둘째 심사자');
});
afterEach(() => console.close());

/** The disclaimer would contain a word that the same policy blocks. */
const BLOCKED = { disclaimer: '확정 수익을 드립니다.' };
const EDITED = '고친 글입니다.';
const ask = (as: string, way: string, body: object, method: 'POST' | 'PUT' = 'POST'): Promise<Answer<ReviewDetail>> =>
  console.ask<ReviewDetail>({ method, url: `/api/v1/review/items/${way}`, as, body });
const third = (): string => console.colleague('third', '셋째 심사자');
const approve = (as: string, id: string, text = EDITED) => ask(as, `${id}/approve-edited`, { edited_summary: text });
const draft = (as: string, id: string, text: string | null) => ask(as, `${id}/draft`, { edited_summary: text }, 'PUT');

describe('an edited text', () => {
  test('waits for a second person in PENDING_REVIEW, without a transition; the second approval exposes it', async () => {
    const id = console.explanation();
    const before = console.traces();
    const waits = await approve(first, id);
    expect(waits.result).toMatchObject({
      status: 'PENDING_REVIEW',
      version: 2,
      edited_summary: EDITED,
      waitingEdit: { displayName: '이름 compliance_reviewer', text: EDITED, mine: true },
      underReview: { source: 'EDIT', text: EDITED, authors: ['이름 compliance_reviewer'] },
    });
    expect(console.traces().history).toBe(before.history);
    expect(console.actions(before.actions)).toMatchObject([{ action: 'review.edit-waits', target_id: id }]);

    const seen = await console.ask<Page<ReviewItem>>({ method: 'GET', url: '/api/v1/review/items', as: second });
    expect(seen.result.items.map(({ waitingEdit }) => waitingEdit?.mine)).toEqual([false]);
    const approved = await approve(second, id);
    expect(approved.result).toMatchObject({ status: 'PUBLISHED', published_summary: EDITED, waitingEdit: null });
    expect(console.traces().history).toBe(before.history + 1);
    expect(followHistory(console.ledger).faults).toEqual(new Map());
    const [last] = console.actions(before.actions + 1);
    expect([last?.action, last?.actor]).toEqual(['explanation.approve-edited', '둘째 심사자']);
    expect(JSON.parse(last?.detail ?? '{}')).toMatchObject({
      authors: ['이름 compliance_reviewer'],
      authorIds: ['member-COMPLIANCE_REVIEWER'],
      firstApprovedBy: '이름 compliance_reviewer',
    });
    expect(approved.result.history.at(-1)).toMatchObject({
      actor: '둘째 심사자',
      authors: ['이름 compliance_reviewer'],
    });
    const told = await console.ask<Page<TimelineEntry>>({
      method: 'GET',
      url: `/api/v1/review/items/${id}/timeline`,
      as: 'READ_ONLY',
    });
    expect(told.result.items.map(({ kind }) => kind)).toContain('EDIT_WAITS');
  });

  test('cannot be approved by its author, in any number of attempts or sessions', async () => {
    const id = console.explanation();
    await approve(first, id);
    const before = console.traces();
    for (const as of [first, 'COMPLIANCE_REVIEWER']) {
      const answer = await approve(as, id);
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        409,
        'REVIEW4095',
        expect.stringContaining('another reviewer'),
      ]);
    }
    expect(console.traces()).toEqual(before);
  });

  test('a first approval of which no row of the audit log tells is refused', async () => {
    const id = console.explanation();
    await approve(first, id);
    console.ledger.write((tx) => tx.run(sqlite.updateTable('waiting_edit').set({ text: '꾸며 낸 글입니다.' })));
    const before = console.traces();
    const answer = await approve(second, id, '꾸며 낸 글입니다.');
    expect([answer.status, answer.body.code]).toEqual([409, 'REVIEW4099']);
    expect(console.traces()).toEqual(before);
  });

  test('a late approval is refused with its own code', async () => {
    const late = await approve(first, console.explanation('REJECTED'));
    expect([late.status, late.body.message]).toEqual([409, 'approve-edited is not possible from REJECTED.']);
  });

  test('keeps the first approver’s comment if the second gives none', async () => {
    const id = console.explanation();
    await ask(first, `${id}/approve-edited`, { edited_summary: EDITED, comment: '수치를 고침' });
    expect((await approve(second, id)).result).toMatchObject({ status: 'PUBLISHED', comment: '수치를 고침' });
  });

  test('changed by the second approver has two authors, and needs a third person', async () => {
    const id = console.explanation();
    await approve(first, id);
    expect((await approve(second, id, '또 고친 글입니다.')).result).toMatchObject({
      status: 'PENDING_REVIEW',
      waitingEdit: { displayName: '둘째 심사자', authors: ['둘째 심사자', '이름 compliance_reviewer'] },
    });
    for (const author of [first, second]) {
      expect((await approve(author, id, '또 고친 글입니다.')).body.code).toBe('REVIEW4095');
    }
    const approved = await approve(third(), id, '또 고친 글입니다.');
    expect(approved.result.history.at(-1)).toMatchObject({
      actor: '셋째 심사자',
      authors: ['둘째 심사자', '이름 compliance_reviewer'],
    });
  });

  test('rewritten by the second approver from the received text needs the first one', async () => {
    const id = console.explanation('PENDING_REVIEW', { summary: '받은 글' });
    await approve(first, id);
    await draft(second, id, '받은 글');
    expect((await approve(second, id, '또 고친 글입니다.')).result.waitingEdit?.authors).toEqual(['둘째 심사자']);
    expect((await approve(first, id, '또 고친 글입니다.')).result.status).toBe('PUBLISHED');
  });

  test.for([{ role: 'OPERATOR' }, { active: 0 }] as const)(
    'has no first approval any more when who gave it may decide nothing: %j',
    async (change) => {
      const id = console.explanation();
      await approve(first, id);
      console.setMember('COMPLIANCE_REVIEWER', change);
      const again = await approve(second, id);
      expect(again.result).toMatchObject({ status: 'PENDING_REVIEW', waitingEdit: { displayName: '둘째 심사자' } });
      expect((await approve(second, id)).status).toBe(409);
      console.setMember('COMPLIANCE_REVIEWER', { role: 'COMPLIANCE_REVIEWER', active: 1 });
      // An author remains the author when their account changes.
      expect((await approve('COMPLIANCE_REVIEWER', id)).body.code).toBe('REVIEW4095');
      expect((await approve(third(), id)).result.status).toBe('PUBLISHED');
    },
  );

  test.for(['둘째가 쓰는 글', null, EDITED])('keeps its approval while somebody writes: %s', async (written) => {
    const id = console.explanation();
    await approve(first, id);
    expect((await draft(second, id, written)).result).toMatchObject({ version: 2, waitingEdit: { mine: false } });
    expect((await approve(second, id)).result.status).toBe('PUBLISHED');
  });

  test.for([
    ['as it was kept', '동료가 쓰던 글'],
    ['with other white space', ' 동료가\n쓰던  글'],
  ])("that is a colleague's draft, sent by somebody else %s, is not passed by its author", async ([, sent = '']) => {
    const id = console.explanation();
    await draft(first, id, '동료가 쓰던 글');
    const waits = await approve(second, id, sent);
    expect(waits.result.waitingEdit).toMatchObject({
      displayName: '둘째 심사자',
      authors: ['이름 compliance_reviewer'],
      mine: true,
    });
    const before = console.traces();
    const refused = await approve(first, id, sent);
    expect([refused.status, refused.body.code]).toEqual([409, 'REVIEW4095']);
    expect(console.traces()).toEqual(before);
    expect((await approve(third(), id, sent)).result.history.at(-1)?.authors).toEqual(['이름 compliance_reviewer']);
  });

  test('that was exposed before keeps its author, however it returned to review', async () => {
    const id = console.explanation();
    await approve(first, id);
    await approve(second, id);
    await console.ask({ method: 'POST', url: `/api/v1/explanations/${id}/move-to-review`, as: second, body: {} });
    // Resent by the first approver, the same words are still the first author's.
    expect((await approve(second, id)).result.waitingEdit?.authors).toEqual(['이름 compliance_reviewer']);
    expect((await approve(first, id)).body.code).toBe('REVIEW4095');
  });

  test('that corrects an exposed text has both authors', async () => {
    const off = {
      method: 'POST',
      url: '/api/v1/screening/proposals',
      body: { criteria: { fourEyes: false } },
    } as const;
    const { result } = await console.ask<PolicyProposal>({ ...off, as: first });
    const publish = { method: 'POST', url: `/api/v1/screening/proposals/${result.id}/publish` } as const;
    await console.ask({ ...publish, as: second });
    const id = console.explanation();
    await approve(first, id);
    const url = `/api/v1/explanations/${id}`;
    const body = { published_summary: '바로잡은 글입니다.' };
    const corrected = await console.ask<ReviewDetail>({ method: 'PATCH', url: `${url}/final`, as: second, body });
    expect(corrected.result.history.at(-1)?.authors).toEqual(['둘째 심사자', '이름 compliance_reviewer']);
    await console.ask({ method: 'POST', url: `${url}/move-to-review`, as: second, body: {} });
    const on = { method: 'PATCH', url: '/api/v1/screening/criteria', body: { fourEyes: true } } as const;
    expect((await console.ask({ ...on, as: first })).status).toBe(200);
    expect((await approve(third(), id, '바로잡은 글입니다.')).result.waitingEdit?.authors).toHaveLength(2);
    for (const author of [first, second]) {
      expect((await approve(author, id, '바로잡은 글입니다.')).body.code).toBe('REVIEW4095');
    }
  });

  test.for(['reject', 'block', 'approve'])('that is overtaken by %s waits no longer', async (decision) => {
    const id = console.explanation();
    await approve(first, id);
    const body = decision === 'approve' ? { text: 'RECEIVED' } : { reason: '사유' };
    const decided = await ask(second, `${id}/${decision}`, body);
    expect(decided.result).toMatchObject({ waitingEdit: null });
    expect(console.ledger.all({ sql: 'SELECT * FROM waiting_edit', parameters: [] })).toEqual([]);
  });

  test.for([{}, { comment: '좋음' }])('is not passed over by a plain approval: %j', async (body) => {
    const id = console.explanation();
    await approve(first, id);
    const before = console.traces();
    const refused = await ask(second, `${id}/approve`, body);
    expect([refused.status, refused.body.code]).toEqual([409, 'REVIEW4092']);
    expect(console.traces()).toEqual(before);
    const received = await ask(second, `${id}/approve`, { ...body, text: 'RECEIVED' });
    expect(received.result).toMatchObject({ status: 'PUBLISHED', published_summary: received.result.summary });
  });

  test('with a blocked word is refused and does not wait', async () => {
    const id = console.explanation();
    const before = console.traces();
    expect((await approve(first, id, '확정 수익을 드립니다.')).status).toBe(409);
    expect(console.traces()).toEqual(before);
  });

  test('is screened again at the second approval', async () => {
    const id = console.explanation();
    await approve(first, id, '반도체가 올랐습니다.');
    const word = { id: 'new', word: '반도체', severity: 'BLOCK', active: true, exceptions: [] } as const;
    console.ledger.write((tx) => {
      const snapshot = activePolicy(tx)?.snapshot ?? SEED_POLICY;
      const changed = { ...snapshot, words: [...snapshot.words, { ...word, exceptions: [] }] };
      publishPolicy(tx, { snapshot: changed, changes: [], actor: { kind: 'SYSTEM' }, at: console.now.toISOString() });
    });
    expect((await approve(second, id, '반도체가 올랐습니다.')).status).toBe(409);
  });
});

describe('a change of the policy', () => {
  const policy = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', way: string, as: string, body?: object) =>
    console.ask<PolicyProposal & Page<PolicyProposal> & { version: number }>({
      method,
      url: `/api/v1/screening/${way}`,
      as,
      ...(body === undefined ? {} : { body }),
    });
  const active = () => activePolicy(console.ledger)?.snapshot.criteria;

  test('is refused from one person alone, on every route, and so is switching it off', async () => {
    const before = console.traces();
    const version = activePolicyVersion(console.ledger);
    const answers = [
      await policy('PATCH', 'criteria', first, { fourEyes: false }),
      await policy('PATCH', 'criteria', second, { minSources: 4 }),
      await policy('PATCH', 'disclaimer', first, { disclaimer: '다른 고지' }),
      await policy('POST', 'words', first, { word: '새 금지어', severity: 'REVIEW' }),
      await policy('POST', 'words/word-best/toggle', first, {}),
      await policy('POST', 'versions', first, { restoreVersion: 1 }),
      await policy('PATCH', 'words/word-best', first, { severity: 'BLOCK' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 409));
    expect([activePolicyVersion(console.ledger), console.traces()]).toEqual([version, before]);
  });

  test('is proposed by one and published by another, unchanged', async () => {
    const proposed = await policy('POST', 'proposals', first, {
      criteria: { minSources: 4 },
      toggleWords: ['word-best'],
    });
    expect(proposed.result).toMatchObject({ mine: true, baseVersion: 2, draft: { criteria: { minSources: 4 } } });
    const way = `proposals/${proposed.result.id}/publish`;
    expect((await policy('POST', way, first)).status).toBe(409);
    expect((await policy('POST', way, 'COMPLIANCE_REVIEWER')).status).toBe(409);
    const seen = await policy('GET', 'proposals', 'READ_ONLY');
    expect(seen.result.items.map(({ changes }) => changes.map(({ kind }) => kind))).toEqual([
      ['WORD_SWITCHED_OFF', 'CRITERION'],
    ]);
    const last = console.traces().actions;
    expect((await policy('POST', way, second)).result).toMatchObject({ version: 3, author: '둘째 심사자' });
    expect(console.actions(last)).toMatchObject([{ action: 'policy.publish' }]);
    expect(console.actions(last)[0]?.detail).toContain('"proposedBy":"이름 compliance_reviewer"');
    expect(active()).toMatchObject({ minSources: 4, fourEyes: true });
    expect((await policy('POST', way, second)).status).toBe(404);
  });

  test.for([{ role: 'OPERATOR' }, { active: 0 }] as const)(
    'is not published when who proposed it may decide nothing any more: %j',
    async (change) => {
      const { result } = await policy('POST', 'proposals', first, { criteria: { minSources: 4 } });
      console.setMember('COMPLIANCE_REVIEWER', change);
      const before = console.traces();
      const published = await policy('POST', `proposals/${result.id}/publish`, second);
      expect([published.status, published.body.message]).toEqual([409, expect.stringContaining('propose it again')]);
      expect(console.traces()).toEqual(before);
      expect(active()).toMatchObject({ minSources: 2 });
    },
  );

  test('is refused while the maximum of proposals waits, until one is withdrawn', async () => {
    const propose = () => policy('POST', 'proposals', first, { criteria: { minSources: 4 } });
    const { result } = await propose();
    const row = console.ledger.first(sqlite.selectFrom('policy_proposal').selectAll());
    if (row === undefined) throw new TypeError('no proposal');
    console.ledger.write((tx) => {
      for (let waiting = 1; waiting < 50; waiting += 1)
        tx.run(sqlite.insertInto('policy_proposal').values({ ...row, id: `waits-${waiting}` }));
    });
    const refused = await propose();
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('50 proposals wait already')]);
    await policy('DELETE', `proposals/${result.id}`, second);
    expect((await propose()).status).toBe(200);
  });

  test('is void once another version is in force', async () => {
    const [one, other] = [
      await policy('POST', 'proposals', first, { criteria: { minSources: 4 } }),
      await policy('POST', 'proposals', first, { criteria: { fourEyes: false } }),
    ];
    expect((await policy('POST', `proposals/${other.result.id}/publish`, second)).status).toBe(200);
    expect((await policy('POST', `proposals/${one.result.id}/publish`, second)).status).toBe(404);
    expect((await policy('GET', 'proposals', second)).result.total).toBe(0);
    expect(active()).toMatchObject({ minSources: 2, fourEyes: false });
    // From here one person is enough again.
    expect((await policy('PATCH', 'criteria', first, { minSources: 3 })).status).toBe(200);
  });

  test('a proposal can be refused by another person, and is not published then', async () => {
    const { result } = await policy('POST', 'proposals', first, { disclaimer: '다른 고지' });
    expect((await policy('DELETE', `proposals/${result.id}`, second)).status).toBe(200);
    expect((await policy('POST', `proposals/${result.id}/publish`, second)).status).toBe(404);
  });

  test.for([
    {},
    { criteria: {} },
    { criteria: { minSources: 2 } },
    { toggleWords: ['nothing'] },
    { restoreVersion: 9 },
    BLOCKED,
  ])('that is none is not proposed: %o', async (body) => {
    const before = console.traces();
    expect([400, 404, 409]).toContain((await policy('POST', 'proposals', first, body)).status);
    expect(console.traces()).toEqual(before);
  });
});

test('an exposed text cannot be corrected by one person alone: it returns to review first', async () => {
  const id = console.explanation('PUBLISHED');
  const before = console.traces();
  const url = `/api/v1/explanations/${id}/final`;
  const corrected = await console.ask({ method: 'PATCH', url, as: first, body: { published_summary: EDITED } });
  expect([corrected.status, corrected.body.message]).toEqual([409, expect.stringContaining('second person')]);
  expect(console.traces()).toEqual(before);
});

test('the received text, and an action that removes a text, need one person', async () => {
  const [approved, rejected] = [console.explanation(), console.explanation()];
  expect((await ask(first, `${approved}/approve`, {})).result.status).toBe('PUBLISHED');
  expect((await ask(first, `${rejected}/reject`, { reason: '사유' })).result.status).toBe('REJECTED');
});
