/**
 * The Intake step by step, in this process, against a scripted cloud over real sockets and on a real
 * ledger file: one pull, or one batch, at a time, so that a test can say exactly what each has left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { applyNext, type ApplyParts } from '../../agent/intake/apply/apply.ts';
import { createUpstream, type Identity, type PullBounds, type Upstream } from '../../agent/intake/receive/pull.ts';
import { pullOnce } from '../../agent/intake/receive/reception.ts';
import type { Next } from '../../agent/intake/receive/waits.ts';
import { repairRawBundles } from '../../agent/intake/maintenance/repair.ts';
import { provedBy } from '../../agent/intake/receive/proved.ts';
import type { Verification } from '../../agent/intake/receive/statement.ts';
import { createEntryScreening } from '../../agent/intake/apply/screening.ts';
import { truncateAfter, type Truncation } from '../../agent/intake/maintenance/truncate.ts';
import { readableLog, type LogLine } from '../support/agent/intake.ts';
import { openLedger, type Ledger } from '../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../agent/ledger/storage/query.ts';
import { publishPolicy } from '../../agent/ledger/policy/versions.ts';
import { syncStatus } from '../../agent/ledger/inbox/sync-state.ts';
import { SHORT_POLICY } from '../support/agent/screening.ts';
import type { SyncStatus } from '../../shared/wire/console/console.ts';
import { makeAuthority } from '../support/pki.ts';
import { startScriptedCloud, type Misbehaviour, type ScriptedCloud } from '../support/scripted-cloud.ts';
import { verificationBy, type VendorKey } from '../support/vendor-key.ts';
import { checkCaughtUp, checkInvariants, type Kept } from './invariants.ts';
import { entries, type Entry } from './truth.ts';

/** Short, so that a timeout ends soon; a timely answer takes a few ms. */
export const BOUNDS: PullBounds = {
  connectMs: 2_000,
  headersMs: 400,
  idleMs: 400,
  totalMs: 2_500,
  bytes: 64 * 1024 * 1024,
};

export interface IntakeFixtureOptions {
  identity?: Identity;
  bounds?: Partial<PullBounds>;
  limit?: number;
  /** Signs the cloud's honest answers, and is the Intake's verification key. */
  vendorKey?: VendorKey;
}

export class IntakeFixture {
  readonly cloud: ScriptedCloud;
  readonly file: string;
  ledger: Ledger;
  /** The clock's time, in ms since 1970. */
  now = Date.UTC(2026, 10, 20, 8);
  readonly lines: LogLine[];
  readonly #folder: string;
  readonly #upstream: Upstream;
  readonly #log;
  readonly #limit: number;
  readonly #verification: Verification | null;

  constructor(cloud: ScriptedCloud, { identity = {}, bounds = {}, limit = 5, vendorKey }: IntakeFixtureOptions = {}) {
    this.cloud = cloud;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'causeway-faults-'));
    this.file = path.join(this.#folder, 'ledger.sqlite');
    this.ledger = openLedger(this.file);
    this.ledger.write((tx) =>
      publishPolicy(tx, { snapshot: SHORT_POLICY, changes: [], actor: { kind: 'SYSTEM' }, at: this.instant() }),
    );
    ({ log: this.#log, lines: this.lines } = readableLog());
    this.#upstream = createUpstream(new URL(cloud.url), identity, { ...BOUNDS, ...bounds });
    this.#limit = limit;
    this.#verification = vendorKey === undefined ? null : verificationBy(vendorKey);
    cloud.vendorKey = vendorKey ?? null;
    cloud.now = () => new Date(this.now);
  }

  instant(): string {
    return new Date(this.now).toISOString();
  }

  /** Step 1, once. */
  pull(): Promise<Next> {
    return pullOnce(
      {
        ledger: this.ledger,
        pull: this.#upstream.pull,
        clock: { now: () => new Date(this.now) },
        log: this.#log,
        limit: this.#limit,
        periodMs: 60_000,
        verification: this.#verification,
      },
      new AbortController().signal,
    );
  }

  /** Step 2, until nothing is left. */
  apply(): void {
    const parts = this.#applyParts();
    while (applyNext(parts));
  }

  /** `intake set-aside`. */
  truncate(cursor: number): Truncation {
    return truncateAfter(this.#applyParts(), cursor);
  }

  /** `intake repair`. */
  repair(): Promise<unknown[]> {
    const { ledger } = this;
    return repairRawBundles({
      ...this.#applyParts(),
      ledger,
      pull: this.#upstream.pull,
      verification: this.#verification,
    });
  }

  #applyParts(): ApplyParts & { ledger: Ledger } {
    const clock = { now: () => new Date(this.now) };
    const { ledger } = this;
    const isProved = provedBy(ledger, this.#verification);
    return { ledger, screenEntry: createEntryScreening(this.#log), clock, log: this.#log, isProved };
  }

  /** The sync status that the console API would answer (D55). */
  status(): SyncStatus {
    return syncStatus(this.ledger, new Date(this.now));
  }

  promises(): Kept {
    return checkInvariants(this.file, this.cloud);
  }

  /** The ledger's row of a vendor's id. */
  explanation(id: string): { status: string } | undefined {
    return this.ledger.first(sqlite.selectFrom('explanation').select('status').where('explanation_result_id', '=', id));
  }

  /** The raw body that begins after a cursor. */
  rawBodyAfter(cursor: number): Uint8Array {
    const row = this.ledger.first(sqlite.selectFrom('raw_bundle').select('body').where('cursor_from', '=', cursor));
    if (row === undefined) throw new Error(`no raw bundle after ${cursor}`);
    return row.body;
  }

  /** Opens the ledger again after the test has closed it. */
  reopen(): void {
    this.ledger = openLedger(this.file);
  }

  /** With a cloud that is well again, pulls until nothing is new, applies, and holds the result against the cloud. */
  async catchUp(well: Misbehaviour | null = null): Promise<Kept> {
    this.cloud.misbehave = well;
    const head = this.cloud.entries.at(-1)?.cursor ?? 0;
    for (let pulls = 0; this.status().committedCursor < head && pulls <= this.cloud.entries.length; pulls++)
      await this.pull();
    await this.pull();
    this.apply();
    expect(this.status(), 'all is well again').toMatchObject({ state: 'OK', head: this.cloud.tellsHead ? head : null });
    return checkCaughtUp(this.file, this.cloud);
  }

  async close(): Promise<void> {
    await this.#upstream.close();
    this.ledger.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export interface BegunOptions extends IntakeFixtureOptions {
  over?: 'HTTP' | 'TLS';
  /** A running cloud, which its maker closes. Its `url` may be that of a relay before it. */
  cloud?: ScriptedCloud;
  truth?: Entry[];
  /** The cloud's behaviour by default. */
  misbehave?: Misbehaviour | null;
}

/**
 * An Intake that has received and applied its first bundle, and a cloud that has twenty more; both are closed when the
 * test has ended, the Intake first.
 */
export async function begun(options: BegunOptions = {}): Promise<IntakeFixture> {
  const { over = 'HTTP', truth = entries(25), misbehave = null, cloud: given, ...rest } = options;
  let cloud: ScriptedCloud;
  if (given !== undefined) {
    cloud = given;
    cloud.entries = [...truth];
  } else if (over === 'HTTP') {
    cloud = await startScriptedCloud({ entries: truth });
  } else {
    const authority = await makeAuthority();
    const { cert, key } = await authority.client();
    rest.identity = { cert, key, ca: authority.ca };
    cloud = await startScriptedCloud({ entries: truth, tls: { ...(await authority.server()), ca: authority.ca } });
  }
  if (given === undefined) onTestFinished(() => cloud.close());
  cloud.misbehave = misbehave;
  const fixture = new IntakeFixture(cloud, rest);
  onTestFinished(() => fixture.close());
  await fixture.pull();
  fixture.apply();
  expect(fixture.status()).toMatchObject({
    state: 'OK',
    committedCursor: truth[(rest.limit ?? 5) - 1]?.cursor ?? truth.at(-1)?.cursor,
    quarantinedBundles: 0,
  });
  return fixture;
}

export interface Left {
  state: string;
  /** The code of the last error. */
  code?: string | RegExp;
  quarantined?: number;
}

/** Pulls from a cloud that misbehaves: nothing may be committed, and the status must name the fault. */
export async function pullsInVain(fixture: IntakeFixture, misbehaviour: Misbehaviour, left: Left): Promise<void> {
  const before = fixture.status();
  fixture.cloud.misbehave = misbehaviour;
  fixture.now += 60_000;
  await fixture.pull();
  fixture.apply();
  const status = fixture.status();
  expect(status).toMatchObject({
    state: left.state,
    committedCursor: before.committedCursor,
    appliedCursor: before.appliedCursor,
    lastSuccessAt: before.lastSuccessAt,
    lastAttemptAt: fixture.instant(),
    lastError: { at: fixture.instant() },
    quarantinedBundles: left.quarantined ?? 0,
  });
  if (left.code !== undefined) expect(status.lastError?.code).toMatch(left.code);
}
