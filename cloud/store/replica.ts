/**
 * A standby of the primary that answers prepared statements (D177). It is opened without a word to it: a cloud starts and
 * serves without its replica.
 */
import { readDatabaseAddress } from './database-address.ts';
import { openPool, PREPARED } from './open.ts';
import { Hosts, Silence } from './server-pool.ts';

/** A slower replica is passed over: the primary is there. */
const PATIENCE_MS = 2_000;

/** SERVED: by the replica. BEHIND: it does not hold what the primary has told. AWAY: it does not answer. */
export type ReplicaOutcome = 'SERVED' | 'BEHIND' | 'AWAY';

export interface Replica {
  /** As a store's `prepared`. @throws Error where the replica does not answer, or takes its answer back */
  prepared<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openReplica(url: string, connections: number): Promise<Replica> {
  const address = readDatabaseAddress(url);
  const pool = await openPool({
    hosts: new Hosts(address),
    silence: new Silence(),
    address,
    connections,
    session: PREPARED,
    answerMs: () => PATIENCE_MS,
    connectMs: PATIENCE_MS,
  });
  return {
    prepared: async <Row>(name: string, text: string, values: readonly unknown[]) =>
      (await pool.query({ name, text, values: [...values] })).rows as Row[],
    close: () => pool.end(),
  };
}
