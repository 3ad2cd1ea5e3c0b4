/**
 * Prepares an installation as `cloud init` does and simulates some weeks up to now, before the parts of `npm start`
 * begin. Writes the output of `cloud init` to a file. The README of this folder has the sequence.
 */
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { ConfigurationError, helpText, readVariables, variable } from '../../../shared/service/variables.ts';
import { systemClock } from '../../../shared/time/clock.ts';
import { prepareInstallation } from '../../../cloud/commands/init.ts';
import { playedDay } from '../../../cloud/demo/generation/calendar.ts';
import { readDemo } from '../../../cloud/demo/generation/reader.ts';
import { SeededClock, seededIds } from './seeded-clock.ts';
import { certificateDays, firstMorning, livePast } from './weeks.ts';

const VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('file of the ledger, which must not be there', variable.text),
  CAUSEWAY_PAST_FILE: variable.required('file that is there already and takes what was made', variable.text),
  CAUSEWAY_DEMO_WEEKS: variable.required('weeks that lie behind', variable.wholeNumber(1, 12)),
};
/** The seed of all chance in the past. */
const SEED = 'causeway-demo';
/** The share of all events after which it says how far it is. */
const PROGRESS = 0.01;

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(helpText('node electron/start/past/main.ts', 'Lets a demo live some weeks.', VARIABLES));
    return;
  }
  const values = readVariables(VARIABLES, process.env);
  const { CAUSEWAY_LEDGER: ledger, CAUSEWAY_DEMO_WEEKS: weeks } = values;
  const log = pino({ base: { part: 'past' } });
  const until = systemClock.now();
  const clock = new SeededClock(firstMorning(until, weeks), until);
  const ids = seededIds(SEED);
  const { date, shiftMs } = playedDay(until);
  if (shiftMs > 0)
    log.info(
      { notice: `the market is closed, so the trading day ${date} is replayed and ends now`, replayedDate: date },
      'replayed',
    );
  const days = certificateDays(weeks);
  await prepareInstallation(process.argv.slice(2), process.env, { clock, days }, async (store, installation) => {
    const seeded = (): void => log.info('ledger seeded');
    let told = 0;
    const progress = (share: number): void => {
      if (share < told + PROGRESS) return;
      told = share;
      log.info({ share }, 'progress');
    };
    const made = { clock, ids, weeks, days, store, installation, ledger, demo: readDemo() };
    const refused = (refusal: Error): void => log.info({ err: refusal }, 'refused');
    await livePast({ seed: SEED, ...made, seeded, refused, progress });
    writeFileSync(values.CAUSEWAY_PAST_FILE, JSON.stringify(installation));
  });
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = error instanceof ConfigurationError ? 2 : 1;
}
