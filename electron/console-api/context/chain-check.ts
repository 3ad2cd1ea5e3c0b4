/** Verifies the audit log (D19) while other requests are answered. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { followChain } from '../../../agent/ledger/audit/audit.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditChain } from '../../../shared/wire/console/console.ts';

interface Parts {
  ledger: LedgerReader;
  clock: Clock;
}

/** Verifies the chain step by step; callers during a check share its result. */
export class ChainCheck {
  #running: Promise<AuditChain> | null = null;

  run(parts: Parts): Promise<AuditChain> {
    this.#running ??= checkChain(parts).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }
}

async function checkChain({ ledger, clock }: Parts): Promise<AuditChain> {
  const checkedAt = clock.now().toISOString();
  const steps = followChain(ledger);
  let step = steps.next();
  while (step.done !== true) {
    await nextTurn();
    step = steps.next();
  }
  const chain = step.value;
  return chain.ok
    ? { ok: true, rows: chain.rows, firstBroken: null, fault: null, checkedAt }
    : { ok: false, rows: chain.firstBroken - 1, firstBroken: chain.firstBroken, fault: chain.fault, checkedAt };
}
