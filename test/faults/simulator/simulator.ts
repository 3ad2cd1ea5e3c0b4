/**
 * One seeded run of the Intake's own loop with its whole environment simulated: the cloud and the way to it, the clock,
 * the disk, and the end of the process at any statement. After every end, and finally in a healthy world, the promises
 * are checked on the file.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { runLoop } from '../../../agent/intake/loop.ts';
import type { Pull } from '../../../agent/intake/receive/pull.ts';
import { pullOnce } from '../../../agent/intake/receive/reception.ts';
import type { Next } from '../../../agent/intake/receive/waits.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { verifyLedger } from '../../../agent/intake/maintenance/verify.ts';
import { unprovedTexts } from '../../../agent/intake/maintenance/unproved-texts.ts';
import { derive } from '../../../agent/intake/apply/projection.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { publishPolicy } from '../../../agent/ledger/policy/versions.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { SHORT_POLICY } from '../../support/agent/screening.ts';
import { checkInvariants } from '../invariants.ts';
import { Crash, SimulatedDisk, type Dice } from './disk.ts';
import { SimulatedNetwork } from './network.ts';
import { Seeded } from '../../support/seeded.ts';

const DAY_MS = 86_400_000;
const PERIOD_MS = 60_000;
const log = pino({ enabled: false });

/** The events and counts of a run, for the sum over all. */
export interface Happened {
  told: string[];
  lives: number;
  polls: number;
}

export class Simulator {
  readonly #folder: string;
  readonly #template: string;

  /** Works in a folder that is made for it; in memory where there is such a one. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#template = path.join(folder, 'template.sqlite');
    mkdirSync(folder, { recursive: true });
    const ledger = openLedger(this.#template);
    ledger.write((tx) =>
      publishPolicy(tx, {
        snapshot: SHORT_POLICY,
        changes: [],
        actor: { kind: 'SYSTEM' },
        at: '2026-11-20T00:00:00.000Z',
      }),
    );
    ledger.close();
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs one seed to its end. @throws the broken promise, with the events before it */
  async run(seed: number): Promise<Happened> {
    const file = path.join(this.#folder, `${seed}.sqlite`);
    copyFileSync(this.#template, file);
    const happened: Happened = { told: [], lives: 0, polls: 0 };
    try {
      await live(file, seed, happened);
      return happened;
    } catch (error) {
      const story = happened.told.slice(-40).join('\n  ');
      throw new Error(`seed ${seed} fails (CAUSEWAY_TEST_SEED=${seed} runs it alone), after\n  ${story}`, {
        cause: error,
      });
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    }
  }
}

async function live(file: string, seed: number, happened: Happened): Promise<void> {
  const random = new Seeded(seed);
  const { told } = happened;
  let now = Date.UTC(2026, 10, 20, 8);
  const network = new SimulatedNetwork({
    random,
    seed,
    share: random.pick([0, 0.1, 0.3, 0.6]),
    pass: (ms) => (now += ms),
    told,
  });
  network.grow(random.below(8));
  const dice: Dice = {
    random,
    wild: true,
    disk: random.pick([0, 0.002, 0.01, 0.03]),
    crash: random.pick([0, 0.001, 0.005, 0.02]),
    told,
    onCrash: () => undefined,
  };
  const limit = 1 + random.below(5);
  /** A number of polls in a world of faults, then as many as needed in a healthy one. */
  const wildPolls = 4 + random.below(10);

  for (let done = false; !done;) {
    happened.lives++;
    const ending = new AbortController();
    dice.onCrash = () => ending.abort();
    const ledger = openLedger(file);
    const disk = new SimulatedDisk(ledger, dice);
    const clock = { now: () => new Date(now) };
    let asked = 0;
    /** After a head below the cursor a second request of the same poll asks for the tenant; the first answer counts. */
    const pull: Pull = async (request, signal) => {
      const { expected } = network;
      const answer = network.pull(request, signal);
      asked++;
      return asked === 1 ? answer : answer.finally(() => (network.expected = expected));
    };
    const reception = { ledger: disk, pull, clock, log, limit, periodMs: PERIOD_MS, verification: null };
    const application = { ledger: disk, screenEntry: createEntryScreening(log), clock, log };
    const receive = async (signal: AbortSignal): Promise<Next> => {
      happened.polls++;
      if (happened.polls > wildPolls) network.wild = dice.wild = false;
      disk.mayCrash('a pull');
      asked = 0;
      const next = await pullOnce(reception, signal);
      // It was dealt with to its end, so the status must tell it.
      expect(syncStatus(ledger, clock.now()).state, told.at(-1)).toBe(network.expected);
      return next;
    };
    let failure: Error | undefined;
    try {
      await runLoop(
        {
          receive: async (signal) => {
            try {
              return await receive(signal);
            } catch (error) {
              if (isVerdict(error)) {
                failure ??= error;
                ending.abort();
              }
              throw error;
            }
          },
          apply: () => applyNext(application),
          isBatchFull: () => true,
          leaveMs: () => 0,
          rest: () => ledger.shrink(),
          random: () => random.next(),
          wait: async (ms) => {
            now += ms;
            if (network.wild && random.chance(0.1)) {
              // 39: an administrator sets the clock.
              const days = random.pick([-1, 1]);
              now += days * DAY_MS;
              told.push(`the clock moves by ${days} day`);
            }
            disk.mayCrash('rest');
            if (!network.wild && isDone()) ending.abort();
          },
          file,
          periodMs: PERIOD_MS,
          log,
        },
        ending.signal,
      );
    } catch (error) {
      // `wait` is ours: when the process ends in it, the loop ends with it.
      if (!(error instanceof Crash)) throw error;
    } finally {
      ledger.close();
    }
    if (failure !== undefined) throw failure;
    const kept = checkInvariants(file, network);
    done = !network.wild && kept.applied === network.head;
    if (done) expect(findingsOf(file), 'an honest ledger is sound').toEqual([]);
    expect(happened.polls, 'it comes to an end').toBeLessThan(wildPolls + network.entries.length + 20);

    function isDone(): boolean {
      const { committedCursor, appliedCursor, state } = syncStatus(ledger, clock.now());
      return state === 'OK' && committedCursor === network.head && appliedCursor === network.head;
    }
  }
}

function findingsOf(file: string): readonly string[] {
  const ledger = openLedger(file);
  try {
    const { findings } = verifyLedger(ledger);
    return [...findings, ...unprovedTexts(ledger, derive(ledger), () => false)];
  } finally {
    ledger.close();
  }
}

/** A broken promise, as opposed to an injected fault. */
function isVerdict(error: unknown): error is Error {
  return error instanceof Error && error.name === 'AssertionError';
}
