/** The faults of a run, drawn from its seed alone: the same seed gives the same faults at the same times. */
import { Seeded } from '../support/seeded.ts';
import type { Weather } from './proxy.ts';

export const CLOUDS = 3;
/** The one whose clock moves. */
export const UNSTEADY_CLOUD = CLOUDS - 1;
export const SERVICES = ['relay', 'intake', 'provision', 'console-api'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** A cloud's process, or a service of a tenant. Tenants count from 0 here. */
export type Target = { cloud: number } | { tenant: number; service: ServiceName };

/** Stretches of a tenant's network, each from the one who asks to the one who answers. */
const PATHS = ['relay-cloud', 'intake-relay', 'channel-provision', 'person-console'] as const;
export type PathName = (typeof PATHS)[number];

const CLOUD_PATHS = ['cloud-database', 'engine-cloud', 'operator-cloud'] as const;
export interface CloudStretch {
  cloud: number;
  path: (typeof CLOUD_PATHS)[number];
}

/** A stretch of network: of a tenant, or of a cloud. */
export type Stretch = { tenant: number; path: PathName } | CloudStretch;

export type Fault = { atMs: number } & (
  | { kind: 'kill' | 'restart' | 'freeze'; target: Target; forMs: number }
  | { kind: 'network'; between: Stretch; weather: Weather; forMs: number }
  | { kind: 'fail-over' }
  | { kind: 'full-disk'; tenant: number; forMs: number }
  | { kind: 'clock'; host: { tenant: number } | { cloud: number }; seconds: number; forMs: number }
  | { kind: 'policy' | 'switch' | 'restart-host' | 'backup' | 'new-certificate'; tenant: number }
  /** `age`: of the backup, from 0 (the newest) to 1; `killedAfterMs`: the command is killed then, and run again. */
  | { kind: 'restore'; tenant: number; isDiskLost: boolean; age: number; killedAfterMs: number | null }
  | { kind: 'server-certificate' | 'signing-key' | 'authority' }
);
export type FaultKind = Fault['kind'];

/** How often each kind is drawn, relative to the others. */
const WEIGHTS: Record<Exclude<FaultKind, 'fail-over'>, number> = {
  kill: 10,
  restart: 3,
  freeze: 5,
  network: 10,
  'full-disk': 3,
  clock: 3,
  policy: 2,
  switch: 4,
  'restart-host': 1,
  backup: 3,
  restore: 4,
  'new-certificate': 1,
  'server-certificate': 1,
  'signing-key': 1,
  authority: 1,
};
const WEATHERS: Weather['kind'][] = ['CLEAR', 'CUT', 'HALF_OPEN', 'SLOW', 'RESET'];
const DELAYS_MS = [0, 40, 150];
const BETWEEN_MS = 3_000;
/** One replacement of a key is carried out at a time; the slowest takes a minute or two, and others would outlast the run. */
const KEYS: readonly string[] = ['new-certificate', 'server-certificate', 'signing-key', 'authority'];
const BETWEEN_KEYS_MS = 60_000;

/** Faults that end processes of a tenant. */
const ENDING: readonly string[] = ['kill', 'restart', 'restart-host', 'restore'];

/** @param kinds only these; by default all */
export function scheduleOf(seed: number, minutes: number, tenants: number, kinds?: readonly string[]): Fault[] {
  const random = new Seeded(seed);
  const lengthMs = minutes * 60_000;
  const allowed = Object.entries(WEIGHTS).filter(([kind]) => kinds === undefined || kinds.includes(kind));
  const lots = allowed.flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind as keyof typeof WEIGHTS));
  const faults: Fault[] = [];
  const backedUp = new Set<number>();
  // The clock of one tenant alone, and of none where there is one: what was shown is compared by time at the others.
  const unsteady = tenants > 1 ? tenants - 1 : null;
  // Some faults come together.
  const step = (): number => (random.chance(0.2) ? random.below(200) : BETWEEN_MS / 4 + random.below(BETWEEN_MS));
  for (let atMs = 2_000; atMs < lengthMs; atMs += step()) {
    const kind = random.pick(lots);
    if (KEYS.includes(kind) && faults.some((one) => KEYS.includes(one.kind) && atMs - one.atMs < BETWEEN_KEYS_MS))
      continue;
    const drawn = random.below(tenants);
    // The first cloud and the processes of the first tenant live as long as the run, so that it shows whether they grow.
    const tenant = ENDING.includes(kind) && tenants > 1 ? 1 + (drawn % (tenants - 1)) : drawn;
    const forMs = 500 + random.below(7_500);
    switch (kind) {
      case 'kill':
      case 'restart':
      case 'freeze': {
        const target = random.chance(0.3)
          ? { cloud: kind === 'freeze' ? random.below(CLOUDS) : 1 + random.below(CLOUDS - 1) }
          : { tenant, service: random.pick([...SERVICES]) };
        faults.push({ atMs, kind, target, forMs: kind === 'freeze' ? forMs : random.below(3_000) });
        break;
      }
      case 'network': {
        const weather = { kind: random.pick(WEATHERS), delayMs: random.pick(DELAYS_MS) };
        const between: Stretch = random.chance(0.3)
          ? { cloud: random.below(CLOUDS), path: random.pick([...CLOUD_PATHS]) }
          : { tenant, path: random.pick([...PATHS]) };
        faults.push({ atMs, kind, between, weather, forMs });
        break;
      }
      case 'full-disk':
        faults.push({ atMs, kind, tenant, forMs });
        break;
      case 'clock':
        faults.push({
          atMs,
          kind,
          host: unsteady === null || random.chance(0.3) ? { cloud: UNSTEADY_CLOUD } : { tenant: unsteady },
          seconds: random.pick([-86_400, -120, -5, 5, 120, 86_400]),
          forMs,
        });
        break;
      case 'restore':
        if (backedUp.has(tenant)) {
          const killedAfterMs = random.chance(0.4) ? 100 + random.below(1_200) : null;
          faults.push({ atMs, kind, tenant, isDiskLost: random.chance(0.5), age: random.next(), killedAfterMs });
        } else faults.push({ atMs, kind: 'backup', tenant });
        backedUp.add(tenant);
        break;
      case 'backup':
        backedUp.add(tenant);
        faults.push({ atMs, kind, tenant });
        break;
      case 'server-certificate':
      case 'signing-key':
      case 'authority':
        faults.push({ atMs, kind });
        break;
      default:
        faults.push({ atMs, kind, tenant });
    }
  }
  // A standby takes over once: afterwards none is left.
  if (kinds === undefined || kinds.includes('fail-over'))
    faults.push({ atMs: Math.floor(lengthMs * (0.3 + random.next() * 0.4)), kind: 'fail-over' });
  return faults.toSorted((one, other) => one.atMs - other.atMs);
}
