/** The way to the cloud as the Intake uses it, with a cloud at its end that has more and more news, and faults on the way. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NoAnswerError, OversizedAnswerError, type Answer, type Pull } from '../../../agent/intake/receive/pull.ts';
import { bodyOf, bundleOf, entryNumber, failureOf, newAt, sha256, TENANT, type Entry } from '../truth.ts';
import type { Seeded } from '../../support/seeded.ts';

export interface NetworkOptions {
  random: Seeded;
  seed: number;
  /** The share of pulls that meet a fault. */
  share: number;
  /** Moves the clock on, in ms. */
  pass(ms: number): void;
  told: string[];
}

/** The state of D55 that the Intake must be in when it has dealt with the answer. */
type State = 'OK' | 'RETRYING' | 'REFUSED' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'GONE' | 'VIOLATION' | 'REGRESSED';

type Fault = (situation: { after: number; limit: number; honest: Answer }) => { state: State; answer: Answer | Error };

export class SimulatedNetwork {
  readonly entries: Entry[] = [];
  readonly sent = new Set<string>();
  wild = true;
  /** The state that the answer under way must lead to; null while a pull has no answer yet. */
  expected: State | null = null;
  readonly #options: NetworkOptions;
  /** Good answers that were given before, for replays. */
  readonly #past: { after: number; body: Uint8Array }[] = [];
  readonly #faults: Record<string, Fault>;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#faults = this.#allFaults();
  }

  get head(): number {
    return this.entries.at(-1)?.cursor ?? 0;
  }

  /** The engine publishes. */
  grow(count: number): void {
    for (let made = 0; made < count; made++) this.entries.push(entryNumber(this.entries.length, this.#options.seed));
  }

  pull: Pull = async ({ after, limit }, signal) => {
    const { random, share, pass, told } = this.#options;
    this.expected = null;
    // An answer takes some time, and applying continues meanwhile.
    for (let turns = random.below(4); turns > 0; turns--) await nextTurn();
    signal.throwIfAborted();
    if (this.wild && random.chance(0.2)) this.grow(1 + random.below(4));
    pass(random.below(2_000));
    const honest = this.#honest(after, limit);
    if (!this.wild || !random.chance(share)) return this.#give('OK', honest);
    const name = random.pick(Object.keys(this.#faults));
    const fault = this.#faults[name];
    if (fault === undefined) throw new Error(`no fault ${name}`);
    const { state, answer } = fault({ after, limit, honest });
    told.push(`${name} after ${after}`);
    if (answer instanceof Error) {
      this.expected = state;
      throw answer;
    }
    return this.#give(state, answer);
  };

  #give(state: State, answer: Answer): Answer {
    this.expected = state;
    return answer;
  }

  #honest(after: number, limit: number): Answer {
    const some = this.entries.filter((entry) => entry.cursor > after).slice(0, limit);
    const body = bodyOf(some.length === 0 ? undefined : bundleOf(after, some));
    this.sent.add(sha256(body));
    if (some.length > 0) this.#past.push({ after, body });
    return { status: 200, body, head: String(this.head), signature: null, statement: null, retryAfter: null };
  }

  #allFaults(): Record<string, Fault> {
    const { random, pass } = this.#options;
    const lost: Fault = () => ({ state: 'RETRYING', answer: new NoAnswerError('UND_ERR_SOCKET', 'simulated', null) });
    const status =
      (code: number, state: State, retryAfter: string | null = null): Fault =>
      ({ honest }) => ({ state, answer: { ...honest, status: code, body: failureOf('COMMON500'), retryAfter } });
    const saying =
      (body: (after: number, honest: Answer) => Uint8Array): Fault =>
      ({ after, honest }) => ({ state: 'VIOLATION', answer: { ...honest, body: body(after, honest) } });
    const foreign = (after: number, fields: Record<string, unknown> = {}): Buffer =>
      bodyOf(bundleOf(after, [newAt(after + 1, 'never'), newAt(after + 2, 'never either')], fields));
    return {
      'no answer (10, 14)': lost,
      'five minutes without an answer (22)': (situation) => {
        pass(300_000);
        return lost(situation);
      },
      'an answer without end (12)': () => ({ state: 'VIOLATION', answer: new OversizedAnswerError(1) }),
      '503 (21)': status(503, 'RETRYING', '30'),
      '429 (21)': status(429, 'REFUSED', '600'),
      '400': status(400, 'REFUSED'),
      '401': status(401, 'UNAUTHORIZED'),
      '403': status(403, 'FORBIDDEN'),
      '410': status(410, 'GONE'),
      'half of the body, told as whole (10)': saying((_, { body }) => body.subarray(0, random.below(body.length))),
      // The first bundle names the ledger's tenant.
      'another tenant (20)': ({ after, honest }) =>
        after === 0
          ? { state: 'OK', answer: honest }
          : { state: 'VIOLATION', answer: { ...honest, body: foreign(after, { tenant_id: TENANT + 1 }) } },
      'a jump of the range (19)': saying((after) => foreign(after + 7)),
      'a false end (17)': saying((after) => foreign(after, { cursor_to: after + 1 })),
      'swapped entries (17)': saying((after) => {
        const entries = [newAt(after + 2, 'never'), newAt(after + 1, 'never')];
        return bodyOf(bundleOf(after, entries));
      }),
      'a name twice (37)': saying((after) => Buffer.from(foreign(after).toString().replace('{', '{"code":"x",'))),
      'an old bundle again (17)': ({ after, honest }) => {
        const old = this.#past.filter((one) => one.after < after);
        // With nothing old to replay the answer is the honest one.
        if (old.length === 0) return { state: 'OK', answer: honest };
        return { state: 'VIOLATION', answer: { ...honest, body: random.pick(old).body } };
      },
      'the same answer again (17)': ({ after, honest }) => {
        const same = this.#past.find((one) => one.after === after);
        return { state: 'OK', answer: same === undefined ? honest : { ...honest, body: same.body } };
      },
      'frozen: no news (18)': ({ honest }) => ({ state: 'OK', answer: { ...honest, body: bodyOf() } }),
      'the cloud has lost records (6)': ({ after, honest }) =>
        after === 0
          ? { state: 'OK', answer: honest }
          : { state: 'REGRESSED', answer: { ...honest, body: bodyOf(), head: String(random.below(after)) } },
    };
  }
}
