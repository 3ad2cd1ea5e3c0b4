/** `applies-until.ts LEDGER ID`: applies what waits as the Intake does, and kills itself with this entry in hand. */
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { BatchSize } from '../../../agent/intake/apply/batch-size.ts';
import { InHand, inHandFile } from '../../../agent/intake/apply/in-hand.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { WaitingWithdrawals } from '../../../agent/intake/apply/withdrawals.ts';
import { readableLog } from '../../support/agent/intake.ts';
import { readCursors } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { systemClock } from '../../../shared/time/clock.ts';

const [file = '', endsAt] = process.argv.slice(2);
const ledger = openLedger(file);
const { log } = readableLog();
const screening = createEntryScreening(log);
const parts = {
  ledger,
  log,
  clock: systemClock,
  batch: new BatchSize(),
  withdrawals: new WaitingWithdrawals(),
  hand: new InHand({ file: inHandFile(file), ...readCursors(ledger), log }),
  screenEntry: (...[reader, entry]: Parameters<typeof screening>) => {
    if ('explanation_result' in entry && entry.explanation_result.explanation_result_id === endsAt)
      process.kill(process.pid, 'SIGKILL');
    return screening(reader, entry);
  },
};
while (applyNext(parts));
parts.hand.close();
ledger.close();
