/**
 * The questions of pulls to a store, those that come at once by one statement (D178): each poll still has the standing of
 * its certificate looked up by itself, at its own moment.
 */
import { BUNDLE_CALL, BUNDLE_ENTRIES } from '../entries/bundle-entries.ts';
import { Gathering } from '../store/gathering.ts';
import type { Store } from '../store/open.ts';
import type { BundleRow, CollectedBundle } from '../entries/collected-bundle.ts';
import { CERTIFICATE_STATUSES } from './certificate-sql.ts';

export interface CertificateStatus {
  tenant_id: number;
  standing: 'VALID' | 'REVOKED' | 'EXPIRED';
  retention_floor: number;
  head: number;
}

interface StatusRequest {
  /** Lower-case hexadecimal. */
  fingerprint: string;
  at: Date;
}

export interface BundleRequest {
  tenantId: number;
  after: number;
  limit: number;
  /** Takes the rows. */
  bundle: CollectedBundle;
}

export interface BundleSettings {
  calculations: boolean;
  /** Bytes of entries at which a bundle is full. */
  fullBundleBytes: number;
}

/** A bundle with more records is asked for by itself: others would wait for it. */
const MOST_TOGETHER = 10;

class PullBatcher {
  readonly #store: Store;
  readonly #standings: Gathering<StatusRequest, CertificateStatus | null>;
  /** By their settings, of which a process has one. */
  readonly #bundles = new Map<string, Gathering<BundleRequest, boolean>>();

  constructor(store: Store) {
    this.#store = store;
    this.#standings = new Gathering((asked) => this.#standingsOf(asked));
  }

  /** Null: the certificate is unknown. */
  standing(asked: StatusRequest): Promise<CertificateStatus | null> {
    return this.#standings.ask(asked);
  }

  /** Collects a bundle of at most so many records. */
  async bundle(asked: BundleRequest, records: number, settings: BundleSettings): Promise<void> {
    if (records <= MOST_TOGETHER && (await this.#gathering(settings).ask(asked))) return;
    await this.#collect([asked], settings);
  }

  #gathering(settings: BundleSettings): Gathering<BundleRequest, boolean> {
    const key = `${settings.calculations} ${settings.fullBundleBytes}`;
    const known = this.#bundles.get(key);
    const gathering = known ?? new Gathering((asked) => this.#collect(asked, settings));
    if (known === undefined) this.#bundles.set(key, gathering);
    return gathering;
  }

  async #standingsOf(asked: readonly StatusRequest[]): Promise<(CertificateStatus | null)[]> {
    const { name, text } = CERTIFICATE_STATUSES;
    const lists = [asked.map(({ fingerprint }) => fingerprint), asked.map(({ at }) => at.toISOString())];
    const values = lists.map((list) => `{${list.join()}}`);
    const rows = await this.#store.prepared<CertificateStatus & { place: number }>(name, text, values);
    const answers: (CertificateStatus | null)[] = asked.map(() => null);
    for (const { place, ...standing } of rows) answers[place - 1] = standing;
    return answers;
  }

  /** Whether each bundle is as it would be by itself: the bytes of all of them bound the answer. */
  async #collect(asked: readonly BundleRequest[], settings: BundleSettings): Promise<boolean[]> {
    for (const { bundle } of asked) bundle.reset();
    take(await this.#store.prepared<BundleRow>(BUNDLE_ENTRIES, BUNDLE_CALL, valuesOf(asked, settings)), asked);
    let bytes = 0;
    return asked.map(({ bundle }) => {
      bytes += bundle.bytes;
      return asked.length === 1 || bytes < settings.fullBundleBytes;
    });
  }
}

/** The values of `BUNDLE_CALL`. */
export function valuesOf(
  asked: readonly BundleRequest[],
  { calculations, fullBundleBytes }: BundleSettings,
): readonly unknown[] {
  const lists = [
    asked.map(({ tenantId }) => tenantId),
    asked.map(({ after }) => after),
    asked.map(({ limit }) => limit),
  ];
  return [...lists.map((list) => `{${list.join()}}`), calculations, fullBundleBytes];
}

/** Gives each row to its bundle. */
export function take(rows: readonly BundleRow[], asked: readonly BundleRequest[]): void {
  for (const row of rows) asked[Number(row.place) - 1]?.bundle.take(row);
}

const ofStores = new WeakMap<Store, PullBatcher>();

/** All pulls of a process ask a store together. */
export function pullBatcher(store: Store): PullBatcher {
  const known = ofStores.get(store);
  if (known !== undefined) return known;
  const made = new PullBatcher(store);
  ofStores.set(store, made);
  return made;
}
