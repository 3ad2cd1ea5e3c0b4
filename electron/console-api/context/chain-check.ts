/** Verifies the audit log (D19) while other requests are answered. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { followChain } from '../../../agent/ledger/audit/audit.ts';
import { readRecordKey, recordKeyFile } from '../../../agent/ledger/made/record-key.ts';
import { alteredThing } from '../../../agent/ledger/audit/thing-findings.ts';
import { followThings } from '../../../agent/ledger/audit/thing-check.ts';
import type { Ledger } from '../../../agent/ledger/storage/ledger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditChain } from '../../../shared/wire/console/console.ts';

interface Parts {
  ledger: Pick<Ledger, 'all' | 'first' | 'read' | 'file'>;
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
  const chain = await inTurns(followChain(ledger));
  const key = readRecordKey(recordKeyFile(ledger.file));
  const { faults, unjudged } = await inTurns(followThings(ledger, key, (last) => ledger.read(last)));
  const things = {
    altered: ledger.read((reader) => faults.slice(0, MOST_TOLD).map((fault) => alteredThing(reader, fault))),
    alteredCount: faults.length,
    unjudged,
    checkedAt,
  };
  return chain.ok
    ? { ok: faults.length === 0, rows: chain.rows, firstBroken: null, fault: null, ...things }
    : { ok: false, rows: chain.firstBroken - 1, firstBroken: chain.firstBroken, fault: chain.fault, ...things };
}

/** Alterations that an answer names. */
const MOST_TOLD = 20;

async function inTurns<T>(steps: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
