/** `npm start` (D40): everything on one machine, with demo data that keeps arriving, and the console in a window. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { endProcess } from '../../shared/service/end-process.ts';
import { systemClock } from '../../shared/time/clock.ts';
import { helpText, readVariables, variable } from '../../shared/service/variables.ts';
import { displayHindrance } from '../packaging/display.ts';
import { ensurePages, type Pages } from '../packaging/build/pages.ts';
import { beginPast, endPast, isPastToLive, lockHome, prepareHome, type Home } from './home.ts';
import { Part, type PartSpec } from './part.ts';
import {
  cloudPart,
  consoleApiPart,
  DEMO,
  demoDriverPart,
  intakePart,
  pastPart,
  provisionPart,
  relayPart,
  TENANT,
  windowPart,
  type Installation,
} from './parts.ts';
import { knownAddress, usableAddress } from './ports.ts';
import type { ChannelPage } from './channel/channel.ts';
import { StartProgress } from './progress.ts';
import { runTable, writeRunFile, writeSecret, type RunFile } from './run-file.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VARIABLES = {
  CAUSEWAY_HOME: variable.defaulted('folder of all data', path.join(ROOT, '.causeway'), variable.text),
  CAUSEWAY_DEMO_WEEKS: variable.defaulted(
    'weeks that a new demo has lived already; 0: none',
    8,
    variable.wholeNumber(0, 12),
  ),
};
const HELP = `${helpText('npm start [-- --no-window]', 'Runs all of Causeway on this machine, with demo data.', VARIABLES)}
Options:
  --watch      restarts a part when a file that it imports changes, and serves pages with hot reload (npm run dev);
               opens no window
  --no-window  opens no Electron window; the console's address works in a browser too
  --help       this text

CAUSEWAY_DEMO_PACE_SECONDS sets how often the demo loads something new; other variables of the parts are
set by this command.
`;
/** Every part must end within ten seconds of the request (D40). */
const GRACE_MS = 7_000;
/** The parts of a run, the demo's data and the channel page among them; pages come on top. */
const PARTS = 8;
const PAST = 'past';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions();
  const { CAUSEWAY_HOME, CAUSEWAY_DEMO_WEEKS: weeks } = readVariables(VARIABLES, process.env);
  const home = prepareHome(CAUSEWAY_HOME);
  const unlock = lockHome(home);
  rmSync(home.runFile, { force: true });

  const run = new Run(home, unlock);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void run.end(0));
  // The bootstrap that started this process may be killed; then no process may remain.
  process.on('disconnect', () => void run.end(0));
  try {
    await run.begin({ ...options, weeks });
  } catch (error) {
    if (run.ending) return;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await run.end(1);
  }
}

interface Options {
  /** Weeks of a new demo's past. */
  weeks: number;
  window: boolean;
  watch: boolean;
}

function readOptions(): Omit<Options, 'weeks'> {
  let values: { 'no-window'?: boolean; watch?: boolean; help?: boolean };
  try {
    ({ values } = parseArgs({
      options: { 'no-window': { type: 'boolean' }, watch: { type: 'boolean' }, help: { type: 'boolean' } },
    }));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exit(2);
  }
  if (values.help === true) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const watch = values.watch === true;
  return { window: values['no-window'] !== true && !watch, watch };
}

class Run {
  readonly #home: Home;
  readonly #unlock: () => void;
  readonly #parts: Part[] = [];
  readonly #pages: { close(): Promise<void> }[] = [];
  #progress: StartProgress | null = null;
  #watch = false;
  ending = false;

  constructor(home: Home, unlock: () => void) {
    this.#home = home;
    this.#unlock = unlock;
  }

  async begin({ window, watch, weeks }: Options): Promise<void> {
    const home = this.#home;
    this.#watch = watch;
    const engineToken = randomBytes(24).toString('base64url');
    say(`Data: ${home.root}`);
    writeSecret(home.relayToken, randomBytes(32).toString('base64url'));
    // Chosen before they listen, because the console API needs the relay's address, and the relay the cloud's.
    const relayListen = await knownAddress(4200);
    const syncListen = await knownAddress(4143);
    // The console names both to a visitor.
    const operatorListen = await knownAddress(4100);
    const channelListen = await knownAddress(4320);

    // Node's watcher restarts a part with the variables of its first start: port 0 would be another port each time.
    const addressFor = watch ? knownAddress : usableAddress;

    // The cloud serves the operator's pages; they are built after the tenant's, which the user waits for.
    const isNew = isPastToLive(home, weeks);
    const progress = new StartProgress(watch ? PARTS : PARTS + 2, say, systemClock).start();
    this.#progress = progress;
    const built = async (pages: Pages): Promise<void> =>
      watch ? undefined : progress.step(`pages of the ${pages} console`, ensurePages({ pages, log: say }));
    const tenantPages = built('tenant');
    // The console and the provision API need only the ledger, so they start while the cloud prepares itself; the past
    // of a new demo seeds that ledger.
    const past = isNew ? this.#livePast(weeks) : null;
    const [consoleApi, provision, installation] = await Promise.all([
      Promise.all([tenantPages, past]).then(async ([, lived]) =>
        this.#start(
          consoleApiPart({
            home,
            listen: await addressFor(4300),
            relay: relayListen,
            operatorConsole: operatorListen,
            channelPage: channelListen,
            replayedDate: lived?.replayedDate ?? null,
          }),
        ),
      ),
      Promise.resolve(past).then(async () => this.#start(provisionPart({ home, listen: await addressFor(4310) }))),
      past === null
        ? progress.step('store and certificates of the cloud', this.#prepareCloud())
        : past.then(({ over }) => over),
      tenantPages.then(async () => built('operator')),
    ]);
    const listen = { sync: syncListen, operator: operatorListen, engine: await addressFor(4160) };
    const [cloud, relay] = await Promise.all([
      this.#start(cloudPart({ installation, engineToken, weeks, listen })),
      this.#start(relayPart({ home, installation, upstream: `https://${syncListen}`, listen: relayListen })),
    ]);
    const [channelPage] = await Promise.all([
      progress.step('channel page', this.#serveChannel(channelListen, url(provision, 'provision'))),
      this.#start(intakePart({ home, installation, upstream: url(relay, 'relay') })),
      this.#start(
        demoDriverPart({ engineUrl: url(cloud, 'engine'), engineToken, operatorUrl: url(cloud, 'operator') }),
      ),
    ]);

    const told: RunFile = {
      pid: process.pid,
      tenantConsole: { url: url(consoleApi, 'console'), accounts: DEMO.accounts },
      operatorConsole: { url: url(cloud, 'operator'), account: DEMO.operator },
      channelPage: { url: channelPage.url },
      sync: {
        url: url(cloud, 'sync'),
        ca: installation.pki.ca,
        verifyKey: installation.pki.verifyKey,
        tenants: installation.tenants.map(({ tenantId, cert, key }) => ({ tenantId, cert, key })),
      },
      relay: { url: url(relay, 'relay') },
      provision: { url: url(provision, 'provision'), channels: DEMO.channels },
      engine: { url: url(cloud, 'engine'), token: engineToken },
    };
    progress.stop();
    this.#progress = null;
    if (this.ending) return;
    writeRunFile(home.runFile, told);
    say(runTable(told, home.runFile));
    if (window) await this.#openWindow(told.tenantConsole.url);
    if (watch) await this.#servePages(told);
  }

  /** Ends every part, clients before servers, and releases the folder. */
  async end(code: number): Promise<void> {
    if (this.ending) return;
    this.ending = true;
    this.#progress?.stop();
    say('Ending …');
    await Promise.all([
      ...this.#parts.map((part) => part.end(GRACE_MS)),
      ...this.#pages.map((server) => server.close()),
    ]);
    rmSync(this.#home.runFile, { force: true });
    this.#unlock();
    // The bootstrap's channel alone would hold this process.
    process.channel?.unref();
    endProcess(code);
  }

  async #start(spec: PartSpec, ended?: (code: number | null) => void, watch = this.#watch): Promise<Part> {
    // What was awaited before may come while the run ends.
    if (this.ending) throw new Error(`${spec.name} is not started: the run ends.`);
    const part = new Part(spec, {
      root: ROOT,
      logFile: path.join(this.#home.logs, `${spec.name}.log`),
      baseEnv: demoEnvironment(this.#home),
      say,
      watch,
      reached: (share) => this.#progress?.reach(spec.name, share),
      ...(ended === undefined ? {} : { ended }),
    });
    this.#parts.push(part);
    // The past is a step of its own, up to its end.
    if (spec.name === PAST) await part.start();
    else if (this.#progress === null) {
      await part.start();
      say(placeOf(part));
    } else await this.#progress.step(spec.name, part.start(), () => placeOf(part));
    return part;
  }

  /** Database, certificates, the demo's tenant and operator: created once, reused later. */
  async #prepareCloud(): Promise<Installation> {
    const script = path.join(ROOT, 'cloud', 'main.ts');
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [script, 'init', '--tenant', TENANT], {
        cwd: ROOT,
        env: demoEnvironment(this.#home),
      });
      return JSON.parse(stdout) as Installation;
    } catch (error) {
      const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
      throw new Error(said === '' ? String(error) : said, { cause: error });
    }
  }

  /**
   * As above, with the weeks of a new demo's past. Resolves when its ledger is seeded; `over` when it has reached the
   * present.
   */
  async #livePast(weeks: number): Promise<{ over: Promise<Installation>; replayedDate: string | null }> {
    const home = this.#home;
    beginPast(home);
    const ended = Promise.withResolvers<number | null>();
    const begun = this.#start(pastPart({ home, weeks }), ended.resolve, false);
    const over = async (): Promise<Installation> => {
      await begun;
      const code = await ended.promise;
      if (code !== 0)
        throw new Error(`The past of the demo could not be made; see ${path.join(home.logs, 'past.log')}.`);
      return JSON.parse(endPast(home)) as Installation;
    };
    const lived = this.#progress?.step(PAST, over(), () => `past of ${weeks} weeks`) ?? over();
    return { over: lived, replayedDate: (await begun).replayedDate };
  }

  async #serveChannel(listen: string, provision: string): Promise<ChannelPage> {
    // Loaded only now: its bundler takes a moment.
    const { serveChannel } = await import('./channel/channel.ts');
    const instruments = readFileSync(path.join(ROOT, 'cloud/demo/etfs.jsonl'), 'utf8').split('\n');
    const tickers = instruments
      .filter((line) => line.startsWith('{'))
      .map((line) => (JSON.parse(line) as { ticker: string }).ticker);
    const page = await serveChannel({ listen, provision, channels: DEMO.channels, tickers });
    this.#pages.push(page);
    return page;
  }

  /** Vite is loaded only here: an ordinary start does not need it. */
  async #servePages(told: RunFile): Promise<void> {
    const { servePages } = await import('./pages-server.ts');
    const consoles = [
      { name: 'Tenant console', folder: 'renderer', port: 4301, api: told.tenantConsole.url },
      { name: 'Operator console', folder: 'cloud/console', port: 4101, api: told.operatorConsole.url },
    ];
    for (const { name, folder, port, api } of consoles) {
      const listen = await knownAddress(port);
      const server = await servePages({ folder: path.join(ROOT, folder), listen, api });
      this.#pages.push(server);
      say(`${name} with hot reload: ${server.url}`);
    }
    say('Watching: a part restarts when a file that it imports changes.');
  }

  /** A window that fails to open, or is closed, does not end the rest. */
  async #openWindow(consoleUrl: string): Promise<void> {
    const address = `The console answers at ${consoleUrl} in a browser too.`;
    const hindrance = displayHindrance(process.env);
    if (hindrance !== null) {
      say(`No window is opened. ${hindrance} ${address}`);
      return;
    }
    try {
      await this.#start(windowPart({ home: this.#home, consoleUrl }), () =>
        say(`The window is closed; everything else goes on. ${address}`),
      );
    } catch (error) {
      if (!this.ending) say(`${error instanceof Error ? error.message : String(error)}\n${address}`);
    }
  }
}

/** Variables of single parts. Those set for a part running alone must not affect this run. */
const VARIABLES_OF_PARTS = /^CAUSEWAY_(DATABASE|SYNC|OPERATOR|ENGINE|RELAY|INTAKE|PROVISION|CONSOLE|LEDGER|DEMO_WEEKS)/;

/** The variables of every part besides its own. */
function demoEnvironment(home: Home): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !VARIABLES_OF_PARTS.test(name));
  return { ...Object.fromEntries(inherited), CAUSEWAY_HOME: home.root, CAUSEWAY_DEMO: '1' };
}

function placeOf(part: Part): string {
  const addresses = [...part.urls.values()].join(', ');
  return `${part.spec.name} runs${addresses === '' ? '' : ` on ${addresses}`}`;
}

function url(part: Part, listener: string): string {
  const found = part.urls.get(listener);
  if (found === undefined) throw new Error(`${part.spec.name} has not said where "${listener}" listens`);
  return found;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
