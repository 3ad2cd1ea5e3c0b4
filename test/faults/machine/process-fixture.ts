/**
 * Intake and relay as the processes that they are in the field, as quick to start as they get: the
 * bundles that are shipped, with Node's compile cache. For tests that end them hundreds of times.
 */
import { copyFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect } from 'vitest';
import { bundleParts } from '../../support/bundles.ts';
import { makeAuthority, writePair, writeWhole } from '../../support/pki.ts';
import {
  compiledOf,
  startPart,
  TestFixture,
  waitFor,
  type Exit,
  type Part,
  type StartOptions,
} from '../../support/process.ts';
import { startScriptedCloud, type ScriptedCloud } from '../../support/scripted-cloud.ts';
import { checkInvariants } from '../invariants.ts';
import { entryNumber } from '../truth.ts';
import { runs } from '../../support/runs.ts';

export interface Services {
  /** Starts a part. The test that starts it ends it; `killAll` is for tests that have failed. */
  start(name: 'intake' | 'relay', options: StartOptions): Part;
  killAll(): Promise<void>;
  /** The file of a service. */
  script(name: 'intake' | 'relay'): string;
  /** The variables without which a start is slow. */
  env: Record<string, string>;
}

/** Takes the bundles of the parts and fills the compile cache, which only an orderly end does. */
export async function bundledServices(): Promise<Services> {
  const bundles = await bundleParts();
  const env = compiledOf(bundles);
  const script = (name: string): string => path.join(bundles, 'agent', name, 'main.js');
  for (const name of ['intake', 'relay']) {
    const help = startPart(script(name), { args: ['--help'], env });
    expect(await help.ended()).toEqual({ code: 0, signal: null });
  }
  const running = new Set<Part>();
  return {
    start: (name, options) => {
      const part = startPart(script(name), { ...options, env: { ...env, ...options.env } });
      running.add(part);
      void part.exited.then(() => running.delete(part));
      return part;
    },
    killAll: async () => {
      await Promise.all([...running].map((part) => part.kill()));
    },
    script,
    env,
  };
}

export interface TestCloud {
  cloud: ScriptedCloud;
  /** Variables of an Intake that asks it directly, and of a relay. */
  intake: Record<string, string>;
  relay: Record<string, string>;
}

/** A scripted cloud over mutual TLS, with the files that its callers need. */
export async function cloudForProcesses(fixture: TestFixture): Promise<TestCloud> {
  const authority = await makeAuthority();
  const cloud = await startScriptedCloud({ tls: { ...(await authority.server()), ca: authority.ca } });
  const folder = fixture.folder('pki');
  const pair = writePair(folder, 'tenant', await authority.client());
  const ca = writeWhole(folder, 'ca.crt', authority.ca);
  return {
    cloud,
    intake: {
      CAUSEWAY_INTAKE_UPSTREAM: cloud.url,
      CAUSEWAY_INTAKE_CERT: pair.cert,
      CAUSEWAY_INTAKE_KEY: pair.key,
      CAUSEWAY_INTAKE_CA: ca,
    },
    relay: {
      CAUSEWAY_RELAY_UPSTREAM: cloud.url,
      CAUSEWAY_RELAY_CERT: pair.cert,
      CAUSEWAY_RELAY_KEY: pair.key,
      CAUSEWAY_RELAY_CA: ca,
    },
  };
}

export interface Processes {
  fixture: TestFixture;
  services: Services;
  newCloud(): Promise<TestCloud>;
}

/** The services, clouds and folders of one test file, removed after its last test. */
export function processes(): Processes {
  const fixture = new TestFixture();
  const clouds: TestCloud[] = [];
  let services: Services | undefined;
  beforeAll(async () => {
    services = await bundledServices();
  });
  afterAll(async () => {
    await services?.killAll();
    await fixture.clear();
    for (const { cloud } of clouds) await cloud.close();
  });
  return {
    fixture,
    get services() {
      if (services === undefined) throw new Error('the services are bundled before the first test, not before that');
      return services;
    },
    newCloud: async () => {
      const made = await cloudForProcesses(fixture);
      clouds.push(made);
      return made;
    },
  };
}

/** The settings of every Intake of these tests, beside its upstream. */
export const intakeEnv = (ledger: string): Record<string, string> => ({
  CAUSEWAY_LEDGER: ledger,
  // The seed policy, under which the truth's texts reach their stated outcomes.
  CAUSEWAY_DEMO: '1',
  CAUSEWAY_INTAKE_POLL_SECONDS: '1',
  CAUSEWAY_INTAKE_LIMIT: '3',
});

/** Cursors of the backlog, which is applied to its end after the last kill. */
const AHEAD = runs(80, 200);

/** Lets the cloud have news as long as `more()`: a backlog that is never drained. */
export function growing(cloud: ScriptedCloud, seed: number, more: () => boolean): void {
  cloud.misbehave = ({ after }) => {
    while (more() && (cloud.entries.at(-1)?.cursor ?? 0) < after + AHEAD)
      cloud.entries.push(entryNumber(cloud.entries.length, seed));
    return null;
  };
}

/** The cursor of a ledger, read beside the process that uses it. */
export function appliedCursor(file: string): number {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return Number(db.prepare('SELECT applied_cursor FROM sync_state').pluck().get());
  } finally {
    db.close();
  }
}

/** Waits until everything that the cloud has is applied, ends the Intake in order, and gives how it ended. */
export async function drained(intake: Part, file: string, cloud: ScriptedCloud): Promise<Exit> {
  const head = cloud.entries.at(-1)?.cursor ?? 0;
  // A killed Intake may have applied everything before: the signal must not reach this one before it listens.
  await intake.logLine('ready', (line) => line.msg === 'ready');
  await waitFor(`cursor ${head} to be applied`, () => appliedCursor(file) === head, 60_000);
  return intake.stop();
}

/** The output of `intake verify` about a ledger, and its exit code: 0 where all is sound. */
export async function verify(services: Services, file: string): Promise<{ code: number | null; said: string }> {
  const part = services.start('intake', { args: ['verify'], env: { CAUSEWAY_LEDGER: file } });
  const { code } = await part.ended();
  return { code, said: part.stdout + part.stderr };
}

/** Checks the promises of an unused ledger on a copy, so that the remains of a crash stay for the next process. */
export function checkCopy(file: string, folder: string, cloud: ScriptedCloud): number {
  if (!existsSync(file)) return 0;
  const copy = path.join(folder, 'copy.sqlite');
  for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  return hasSchema(copy) ? checkInvariants(copy, cloud).committed : 0;
}

/** False for a ledger that was ended before its first migration was committed. */
function hasSchema(file: string): boolean {
  const db = new Database(file);
  try {
    return Number(db.pragma('user_version', { simple: true })) > 0;
  } finally {
    db.close();
  }
}
