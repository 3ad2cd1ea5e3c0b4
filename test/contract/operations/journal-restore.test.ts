/**
 * The disk of the ledger is lost, and the decision journal brings back what people decided after the backup (D139,
 * D140): each decision at its place among the entries, and nothing without a word.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withCriteria } from '../../../agent/ledger/policy/changes.ts';
import { activePolicy, publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { intakeWith } from '../../support/agent/intake-command.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import { addNote } from '../../../agent/ledger/review/notes.ts';
import { openLedger, type LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { invalidationAt, newAt } from '../../faults/truth.ts';
import { TestFixture, waitFor } from '../../support/process.ts';
import { startScriptedCloud, type ScriptedCloud } from '../../support/scripted-cloud.ts';

const INTAKE = 'agent/intake/main.ts';
const actor = { kind: 'MEMBER', id: 'm', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
const fixture = new TestFixture();
let cloud: ScriptedCloud;
let folder: string;
let file: string;
let journal: string;
let backup: string;
/** The ledger's state by people's and the vendor's acts when its disk was lost. */
let before: unknown;

const env = () => ({
  CAUSEWAY_LEDGER: file,
  CAUSEWAY_INTAKE_UPSTREAM: cloud.url,
  CAUSEWAY_INTAKE_POLL_SECONDS: '1',
  CAUSEWAY_DEMO: '1',
});
const run = async (more: Record<string, string>, ...args: string[]): Promise<{ code: number; told: string }> => {
  const { code, out, err } = await intakeWith({ ...env(), ...more }, ...args);
  return { code, told: `${out}${err}` };
};
const withJournal = () => ({ CAUSEWAY_DECISION_JOURNAL: journal });

const SUMMED = `SELECT id, status, published_summary, decided, version, policy_version, comment FROM explanation ORDER BY id`;
const ACTS = `SELECT at, actor, action, target_id, detail FROM console_action_log
  WHERE actor_id IS NOT NULL AND action <> 'ledger.restore' ORDER BY seq`;
const NOTES = 'SELECT * FROM review_note ORDER BY id';
const POLICY = 'SELECT * FROM policy_version ORDER BY version';
function stateOf(): unknown {
  const ledger = openLedger(file, { create: false });
  try {
    return [SUMMED, ACTS, NOTES, POLICY].map((sql) => ledger.all({ sql, parameters: [] }));
  } finally {
    ledger.close();
  }
}

beforeAll(async () => {
  folder = fixture.folder('journal-restore');
  file = path.join(folder, 'disk', 'ledger.sqlite');
  journal = path.join(folder, 'journal');
  backup = path.join(folder, 'backup.sqlite');
  mkdirSync(path.dirname(file));
  cloud = await startScriptedCloud({ entries: [1, 2, 3].map((n) => newAt(n, `e${n}`, { ticker: `00000${n}` })) });
  const intake = fixture.start(INTAKE, { env: env() });
  await waitFor('the ledger', () => existsSync(file));
  const ledger = openLedger(file);
  const reached = (cursor: number) => waitFor(`cursor ${cursor}`, () => readCursors(ledger).applied === cursor);
  await reached(3);
  const log = { info: () => undefined, error: () => undefined };
  const kept = await DecisionJournal.open({ ledger, folder: journal, mode: 'require', log });
  const decide = (work: (tx: LedgerTransaction, at: string) => unknown) =>
    kept.write(async (begin) =>
      ledger.write((tx) => {
        begin();
        return work(tx, new Date().toISOString());
      }),
    );
  const move = (id: string, made: 'stop' | 'approve') =>
    decide((tx, at) => {
      const reason = `${made} ${id}`;
      const comment = made === 'approve' ? { comment: reason } : {};
      applyMove(tx, { id: explanationId(id), move: made, actor, at, reason, ...comment });
    });
  await move('e1', 'stop');
  expect((await run({}, 'backup', backup)).told).toContain('Written and verified');

  await move('e2', 'stop');
  await decide((tx, at) => {
    const active = activePolicy(tx);
    if (active === undefined) throw new TypeError('no policy');
    // From now on every text waits for a person.
    publishPolicy(tx, { snapshot: withCriteria(active.snapshot, { minSources: 9 }), changes: [], actor, at });
  });
  cloud.entries.push(newAt(4, 'e4', { ticker: '000004' }), newAt(5, 'e5', { ticker: '000005' }));
  await reached(5);
  await move('e4', 'approve');
  await decide((tx, at) => addNote(tx, { id: explanationId('e5'), text: '메모', actor, at }));
  cloud.entries.push(invalidationAt(6, 'e3'), newAt(7, 'e7', { ticker: '000007' }));
  await reached(7);
  await decide((tx, at) => addNote(tx, { id: explanationId('e7'), text: '둘째', actor, at }));
  expect((await run({}, 'verify')).told).toContain('The ledger is sound');
  await intake.stop();
  await kept.stop();
  ledger.close();
  copyFileSync(path.join(path.dirname(file), 'journal.key'), journalKey());
  before = stateOf();
});
afterAll(async () => {
  await cloud.close();
  await fixture.clear();
});

/** The copy that is kept apart from the host. */
const journalKey = (): string => path.join(folder, 'kept.journal.key');
const restore = (...flags: string[]) => run(withJournal(), 'restore', backup, '--journal-key', journalKey(), ...flags);
const lose = (): void => rmSync(path.dirname(file), { recursive: true });
const asWas = (): void => void mkdirSync(path.dirname(file), { recursive: true });

test('a lost disk: the backup and the journal make the same ledger, decision by decision', async () => {
  lose();
  asWas();
  const unnamed = await run({}, 'restore', backup);
  expect([unnamed.code, unnamed.told]).toEqual([1, expect.stringContaining('A decision journal was kept')]);
  expect(existsSync(file)).toBe(false);
  const unproved = await run(withJournal(), 'restore', backup);
  expect([unproved.code, unproved.told]).toEqual([1, expect.stringContaining('the journal key is not here')]);
  const restored = await restore();
  expect([restored.code, restored.told]).toEqual([0, expect.stringContaining('No decision and no setting is lost')]);
  expect(stateOf()).toEqual(before);
  expect((await run({}, 'verify')).told).toContain('The ledger is sound');
});

test('a ledger that was used after the restore continues the same journal, and a second loss loses nothing', async () => {
  const ledger = openLedger(file);
  const log = { info: () => undefined, error: () => undefined };
  const kept = await DecisionJournal.open({ ledger, folder: journal, mode: 'require', log });
  const decide = (work: (tx: LedgerTransaction, at: string) => unknown) =>
    kept.write(async (begin) =>
      ledger.write((tx) => {
        begin();
        work(tx, new Date().toISOString());
      }),
    );
  await decide((tx, at) => applyMove(tx, { id: explanationId('e4'), move: 'stop', actor, at, reason: '다시' }));
  // The newest record stays in the ledger's outbox; the one before it is in the journal alone.
  await decide((tx, at) => addNote(tx, { id: explanationId('e4'), text: '셋째', actor, at }));
  await kept.stop();
  ledger.close();
  before = stateOf();
  lose();
  asWas();
  const named = await run(withJournal(), 'restore', backup, '--accept-unproved-journal');
  expect(named.code).toBe(0);
  expect(named.told).toMatch(/Not proved: record \d+ \(explanation\.stop\): it bears the MAC of another journal key/);
  expect(stateOf()).toEqual(before);
  lose();
  asWas();
  expect(await restore()).toMatchObject({ code: 0 });
  expect(stateOf()).toEqual(before);
  expect((await run({}, 'verify')).told).toContain('The ledger is sound');
});

test('a folder that is not there is no proof that no journal was kept, and is not made', async () => {
  const away = path.join(folder, 'not-mounted', 'journal');
  const early = path.join(folder, 'before-the-journal.sqlite');
  openLedger(early).close();
  renameSync(path.dirname(file), `${path.dirname(file)}.aside`);
  asWas();
  const refused = await run({ CAUSEWAY_DECISION_JOURNAL: away, CAUSEWAY_DEMO: '0' }, 'restore', early);
  expect([refused.code, refused.told]).toEqual([1, expect.stringContaining('is not there: mount its disk')]);
  expect(existsSync(file)).toBe(false);
  const accepted = await run(
    { CAUSEWAY_DECISION_JOURNAL: away, CAUSEWAY_DEMO: '0' },
    'restore',
    early,
    '--accept-older',
  );
  expect([accepted.code, existsSync(away)]).toEqual([0, false]);
  rmSync(path.dirname(file), { recursive: true });
  renameSync(`${path.dirname(file)}.aside`, path.dirname(file));
});

test('the end of the chain is missing: refused, with the known facts of the loss', async () => {
  const last = path.join(journal, readdirSync(journal).toSorted().at(-1) ?? '');
  renameSync(last, `${last}.away`);
  const refused = await run(withJournal(), 'restore', backup);
  renameSync(`${last}.away`, last);
  expect([refused.code, refused.told]).toEqual([1, expect.stringContaining('its end is missing')]);
  expect(refused.told).toContain('2 explanation.stop');
  expect(stateOf()).toEqual(before);
});

test('the cloud does not answer: refused, because decisions are about texts that only it has', async () => {
  lose();
  asWas();
  const refused = await run(
    { ...withJournal(), CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9' },
    ...['restore', backup, '--journal-key', journalKey()],
  );
  expect([refused.code, refused.told]).toEqual([1, expect.stringContaining('try again when it answers')]);
  expect(readdirSync(path.dirname(file))).not.toContain('journal.key');
  expect(existsSync(file)).toBe(false);
});

test('--accept-older without the cloud replays all it can, names each loss, and the journal continues from there', async () => {
  const accepted = await run(
    { ...withJournal(), CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9' },
    ...['restore', backup, '--accept-older', '--journal-key', journalKey()],
  );
  expect(accepted.code).toBe(0);
  expect(accepted.told).toMatch(/Lost: record \d+ \(explanation\.approve\)/);
  const ledger = openLedger(file);
  const log = { info: () => undefined, error: () => undefined };
  const kept = await DecisionJournal.open({ ledger, folder: journal, mode: 'require', log });
  expect(kept.failure).toBeNull();
  await kept.stop();
  ledger.close();
});

test('--hold-all brings every decision back, and then holds every text', async () => {
  const held = await run(withJournal(), 'restore', backup, '--hold-all');
  expect([held.code, held.told]).toEqual([
    0,
    expect.stringContaining('changes of the decision journal were made again'),
  ]);
  expect((await run({}, 'verify')).told).toContain('The ledger is sound');
});
