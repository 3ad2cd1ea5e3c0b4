/** The setup of the dossier's tests: a ledger that an Intake has filled and people have worked on, with real keys. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signCheckpoint, treesOf } from '../../../shared/service/checkpoints/checkpoint.ts';
import { makeVendorKey, statementOf } from '../vendor-key.ts';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import type { RawEntry } from '../../../agent/intake/apply/entry.ts';
import { bodyOf, bundleOf, invalidationAt, newAt, TENANT } from './intake.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { pino } from 'pino';
import { endOf } from '../../../agent/ledger/audit/checkpoint.ts';
import { makeDossier } from '../../../agent/ledger/dossier/make.ts';
import type { SubjectQuery } from '../../../agent/ledger/dossier/collect.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { commitBundle, readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { addNote } from '../../../agent/ledger/review/notes.ts';
import { saveDraft } from '../../../agent/ledger/review/drafts.ts';
import { setApprovalNumbering } from '../../../agent/ledger/serving/approval.ts';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { toggleScope } from '../../../agent/ledger/serving/scope.ts';
import { exposedExplanation } from '../../../agent/ledger/serving/visibility.ts';
import { addServed } from '../../../agent/ledger/serving/served.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { SHORT_POLICY } from './screening.ts';

export const REVIEWER = { kind: 'MEMBER', id: 'm-1', displayName: '심사자', role: 'COMPLIANCE_REVIEWER' } as const;
export const ADMIN = { kind: 'MEMBER', id: 'a-1', displayName: '관리자', role: 'TENANT_ADMIN' } as const;

/** Exposed at once; edited and corrected; withdrawn. The second stands before the first among those of its ticker. */
export const IDS = { shown: explanationId('shown'), edited: explanationId('edited'), gone: explanationId('gone') };
export const TICKER = '069500';

/** A channel MTS and the seed policy. */
export function firstRows(ledger: Ledger, now: Date): void {
  const at = now.toISOString();
  ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at });
    publishPolicy(tx, { snapshot: SHORT_POLICY, changes: [], actor: ADMIN, at });
  });
}

export class DossierFixture {
  readonly folder: string;
  readonly file: string;
  readonly ledger: Ledger;
  readonly vendor = makeVendorKey();
  readonly tenant = generateKeyPairSync('ed25519');
  checkpoints = '';
  #now = Date.parse('2026-11-20T05:00:00.000Z');

  /** @param begin makes the first rows, those of `firstRows` among them */
  constructor({ folder, begin = firstRows }: { folder?: string; begin?: typeof firstRows } = {}) {
    this.folder = folder ?? mkdtempSync(path.join(tmpdir(), 'causeway-dossier-'));
    this.file = path.join(this.folder, 'ledger.sqlite');
    this.ledger = openLedger(this.file);
    begin(this.ledger, this.now);
    this.receive(
      newAt(1, 'shown', { explanation_as_of: '2026-11-20T05:00:00.000Z' }),
      newAt(2, 'gone', { etf_ticker: '102110', explanation_as_of: '2026-11-20T05:00:00.000Z' }),
    );
    this.receive(
      newAt(3, 'edited', {
        summary: '지금은 매수 시점입니다.',
        explanation_as_of: '2026-11-20T05:00:00.001Z',
      }),
    );
    this.keepCheckpoint();
    this.#decide();
    this.receive(invalidationAt(4, 'gone'));
    this.keepCheckpoint();
    this.pass(3_600_000);
  }

  get at(): string {
    return new Date(this.#now).toISOString();
  }
  get now(): Date {
    return new Date(this.#now);
  }
  pass(ms: number): void {
    this.#now += ms;
  }

  receive(...entries: RawEntry[]): void {
    const cursorFrom = readCursors(this.ledger).committed;
    const bundle = bundleOf(cursorFrom, entries);
    const body = bodyOf(bundle);
    const told = { tenantId: TENANT, after: cursorFrom, head: 100, at: this.now, body };
    this.ledger.write((tx) =>
      commitBundle(tx, {
        cursorFrom,
        cursorTo: entries.at(-1)?.cursor ?? 0,
        bundleId: String(bundle['bundle_id']),
        entryCount: entries.length,
        tenantId: TENANT,
        body,
        signature: null,
        statement: statementOf(this.vendor, told),
        receivedAt: this.at,
      }),
    );
    this.pass(500);
    const log = pino({ enabled: false });
    const clock = { now: () => this.now };
    while (applyNext({ ledger: this.ledger, log, clock, screenEntry: createEntryScreening(log) }));
    this.pass(60_000);
  }

  #decide(): void {
    const id = IDS.edited;
    const act = { id, actor: REVIEWER };
    const numbers = { pattern: '제{YYYY}-{SEQ:5}호', validDays: 1, next: 1 };
    this.ledger.write((tx) => setApprovalNumbering(tx, numbers, { actor: REVIEWER, at: this.at }));
    this.ledger.write((tx) => saveDraft(tx, { ...act, text: '반도체 수출이 늘었습니다.', at: this.at }));
    this.pass(60_000);
    this.ledger.write((tx) => addNote(tx, { ...act, at: this.at, text: '표현 확인' }));
    this.ledger.write((tx) =>
      applyMove(tx, {
        ...act,
        move: 'approve-edited',
        editedSummary: '반도체 수출이 늘었습니다.',
        reason: '권유 표현 삭제',
        at: this.at,
      }),
    );
    this.pass(120_000);
    const exposed = exposedExplanation(this.ledger, TICKER, 'MTS', this.now);
    if (exposed?.id !== id) throw new Error('another text is exposed');
    const { afterMove, afterFact } = exposed;
    const counted = { afterMove, afterFact, times: 3, firstAt: this.now, lastAt: new Date(this.#now + 1_000) };
    this.ledger.write((tx) => addServed(tx, [{ id, channel: 'MTS', ...counted }]));
    this.pass(120_000);
    this.ledger.write((tx) => toggleScope(tx, { type: 'INSTRUMENT', key: TICKER, actor: REVIEWER, at: this.at }));
    this.pass(60_000);
    this.ledger.write((tx) => toggleScope(tx, { type: 'INSTRUMENT', key: TICKER, actor: REVIEWER, at: this.at }));
    this.pass(60_000);
    this.ledger.write((tx) =>
      applyMove(tx, {
        ...act,
        move: 'correct',
        editedSummary: '반도체 수출 증가로 올랐습니다.',
        reason: '정정',
        at: this.at,
      }),
    );
    this.pass(60_000);
  }

  keepCheckpoint(): void {
    const end = this.ledger.read(endOf);
    if (end === null) return;
    this.checkpoints += `${JSON.stringify(signCheckpoint('console_action_log', end, this.now, this.tenant.privateKey))}\n`;
    this.pass(60_000);
  }

  async make(asked: SubjectQuery): Promise<Uint8Array> {
    const { bytes } = await makeDossier(
      {
        ledger: this.ledger,
        write: (work) => Promise.resolve(this.ledger.write(work)),
        key: this.tenant.privateKey,
        checkpoints: treesOf(this.checkpoints),
        now: this.now,
        actor: ADMIN,
      },
      asked,
    );
    return bytes;
  }

  close(): void {
    this.ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
