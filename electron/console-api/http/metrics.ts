/**
 * The console API's metrics for Prometheus, at a listener of their own: numbers only, nothing about a text, a person or a
 * session.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { statusCounts, waitingSince } from '../../../agent/ledger/explanations/counts.ts';
import { LEDGER_VERSION } from '../../../agent/ledger/storage/migrate.ts';
import { liveSessionCount } from '../../../agent/ledger/accounts/sessions.ts';
import { CHECKPOINT_NUMBERS } from '../../../shared/service/checkpoints/metrics.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import type { ConsoleContext } from '../context/context.ts';

/** Seconds; above some hundred ms a user notices. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The kind of a request. `static`: the page and its files; `events`: a stream, which has no duration. */
export type Surface = 'read' | 'write' | 'static' | 'events';

export class ConsoleMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'surface' | 'route' | 'status'>;
  readonly #failures: Counter;
  readonly #seconds: Histogram<'surface'>;

  /** @param context read at each request for metrics */
  constructor({
    ledger,
    events,
    limits,
    clock,
    checkpoints,
    journal,
  }: Pick<ConsoleContext, 'ledger' | 'events' | 'limits' | 'clock' | 'checkpoints' | 'journal'>) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Counter({
      name: 'causeway_console_requests_total',
      help: 'Requests answered, by surface, route of the policy (empty: none) and HTTP status.',
      labelNames: ['surface', 'route', 'status'],
      registers,
    });
    // Without a label, so that it starts at 0: Prometheus sees no increase from a missing value.
    this.#failures = new Counter({
      name: 'causeway_console_failures_total',
      help: 'Answers of status 500 and above.',
      registers,
    });
    this.#seconds = new Histogram({
      name: 'causeway_console_request_seconds',
      help: 'Time to answer, by surface; event streams are not in it.',
      labelNames: ['surface'],
      buckets: BUCKETS,
      registers,
    });
    new Gauge({
      name: 'causeway_console_info',
      help: 'Always 1; the version of the program and the schema version that it writes.',
      labelNames: ['version', 'schema'],
      registers,
    }).set({ version: PRODUCT_VERSION, schema: String(LEDGER_VERSION) }, 1);
    const read = (name: string, help: string, value: () => number): void =>
      void new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    for (const { name, help, value } of CHECKPOINT_NUMBERS)
      read(`causeway_audit_checkpoint_${name}`, help, () => value(checkpoints?.state() ?? null));
    if (journal !== null) {
      const fails = '1: the decision journal cannot be written, so decisions lie on one disk alone.';
      read('causeway_decision_journal_failing', fails, () => (journal.failure === null ? 0 : 1));
      read('causeway_decision_journal_waiting', 'Changes that wait for the journal.', () => journal.waiting);
    }
    read('causeway_console_sessions', 'Sessions that have not run out.', () =>
      ledger.read((reader) => liveSessionCount(reader, clock.now(), limits)),
    );
    read(
      'causeway_console_event_streams',
      'Event streams that are open: about one for each open window.',
      () => events.size,
    );
    read(
      'causeway_review_waiting',
      'Explanations that wait for review.',
      () => ledger.read(statusCounts).PENDING_REVIEW,
    );
    read(
      'causeway_review_oldest_waiting_seconds',
      'How long the oldest explanation in review has waited, in seconds; 0: none waits.',
      () => {
        const since = ledger.read(waitingSince);
        return since === null ? 0 : Math.max(0, clock.now().getTime() - Date.parse(since)) / 1_000;
      },
    );
  }

  /**
   * @param route of the policy; empty for none
   * @param ms until the last byte
   */
  answered(surface: Surface, route: string, status: number, ms: number): void {
    this.#requests.inc({ surface, route, status });
    if (status >= 500) this.#failures.inc();
    if (surface !== 'events') this.#seconds.observe({ surface }, ms / 1_000);
  }
}
