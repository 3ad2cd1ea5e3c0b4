/** What the channels asked for, counted by minute (D20). */
import { sqlite, type LedgerTransaction } from './ledger.ts';

/** What a request to the provision API ended in. */
export type TrafficOutcome = 'SERVED' | 'NOT_FOUND' | 'BAD_REQUEST' | 'UNAUTHORIZED' | 'ERROR';

export interface TrafficCount {
  /** Minutes since 1970. */
  minute: number;
  /** Empty for a request without a valid key. */
  channel: string;
  outcome: TrafficOutcome;
  requests: number;
}

/** Adds counts to what is there already. */
export function addTraffic(tx: LedgerTransaction, counts: readonly TrafficCount[]): void {
  for (const count of counts) {
    tx.run(
      sqlite
        .insertInto('traffic_minute')
        .values({ ...count })
        .onConflict((conflict) =>
          conflict
            .columns(['minute', 'channel', 'outcome'])
            .doUpdateSet((eb) => ({ requests: eb('traffic_minute.requests', '+', eb.ref('excluded.requests')) })),
        ),
    );
  }
}
