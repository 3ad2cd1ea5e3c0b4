/** The demo driver as a process of its own, started by `npm start`. */
import { pino } from 'pino';
import { ConfigurationError, helpText, readVariables, variable } from '../../shared/service/variables.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import { EngineDoor, OperatorClient } from './clients.ts';
import { drive } from './driver.ts';
import { Market } from './generation/market.ts';
import { systemRandom } from './generation/random.ts';
import { readDemo } from './generation/reader.ts';
import { sleep } from './sleep.ts';

const VARIABLES = {
  CAUSEWAY_ENGINE_URL: variable.required(
    "address of the cloud's engine listener, for example http://127.0.0.1:4160",
    variable.webAddress,
  ),
  CAUSEWAY_ENGINE_TOKEN: variable.secret(variable.required('bearer token of the engine listener', variable.text)),
  CAUSEWAY_OPERATOR_URL: variable.required(
    "address of the cloud's operator listener, for example http://127.0.0.1:4100",
    variable.webAddress,
  ),
  CAUSEWAY_OPERATOR_USERNAME: variable.required('operator account that withdraws explanations', variable.text),
  CAUSEWAY_OPERATOR_PASSWORD: variable.secret(variable.required('its password', variable.text)),
  CAUSEWAY_DEMO_PACE_SECONDS: variable.defaulted(
    'seconds between two firings, on average',
    20,
    variable.wholeNumber(1, 3600),
  ),
};

const ABOUT =
  'Loads the demo week into the cloud and goes on with further firings at a human pace. Safe to start again on the same store.';

async function main(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(helpText('node cloud/demo/main.ts', ABOUT, VARIABLES));
    return;
  }
  const values = readVariables(VARIABLES, process.env);
  const log = pino({ base: { part: 'demo' } });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());

  const demo = readDemo();
  const { reference, instruments } = demo;
  log.info(
    { url: values.CAUSEWAY_ENGINE_URL.origin, loads: reference.length, paceSeconds: values.CAUSEWAY_DEMO_PACE_SECONDS },
    'demo begins',
  );
  await drive(
    {
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      door: new EngineDoor(values.CAUSEWAY_ENGINE_URL, values.CAUSEWAY_ENGINE_TOKEN),
      operator: new OperatorClient(values.CAUSEWAY_OPERATOR_URL, {
        username: values.CAUSEWAY_OPERATOR_USERNAME,
        password: values.CAUSEWAY_OPERATOR_PASSWORD,
      }),
      log,
      reference,
      instruments,
      market: new Market({ ...demo, now: systemClock.now() }),
      paceMs: values.CAUSEWAY_DEMO_PACE_SECONDS * 1000,
      sleep,
    },
    stop.signal,
  );
  log.info({}, 'demo ends');
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigurationError ? 2 : 1;
}
