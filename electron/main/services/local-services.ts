/**
 * Local mode: the services of a local console. The console API may start before the window; its events wait for `hear`.
 * The other services start after the window (D162). No Electron.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../diagnostics/log.ts';
import { makeWindowSecret } from '../security/window-secret.ts';
import {
  LocalService,
  type ServiceCommand,
  type ServiceEnd,
  type ServiceName,
  type ServiceStatus,
} from './local-service.ts';
import { serviceCommands, type PackedPlaces } from './packed-services.ts';
import { timerSchedule } from './schedule.ts';

export interface LocalEvents {
  /** A line of a service's log, as it wrote it. */
  said(line: string, service: ServiceName): void;
  /** The events below are those of the console API alone. */
  starting(): void;
  ready(address: URL): void;
  ended(how: ServiceEnd): void;
}

/** The settings of a local console. */
export interface LocalSettings {
  env: Record<string, string | undefined>;
  /** The program's own settings, which take precedence over the environment. */
  chosen: Record<string, string>;
}

export class LocalServices {
  /** Every request of the window carries this secret. */
  readonly windowSecret = makeWindowSecret();
  readonly #services: { service: LocalService; standing: ServiceStatus }[];
  readonly #portFile: string;
  readonly #log: Log;
  #events: LocalEvents | null = null;
  #untold: ((events: LocalEvents) => void)[] = [];

  constructor(places: PackedPlaces, { env, chosen }: LocalSettings, log: Log) {
    this.#log = log;
    this.#portFile = join(places.data, 'console-port');
    const commands = serviceCommands(places, { env, chosen, windowSecret: this.windowSecret });
    this.#services = commands.map((command) => this.#serviceOf(command));
  }

  get standings(): ServiceStatus[] {
    return this.#services.map(({ standing }) => standing);
  }

  /** Reports all earlier events, then each new one. */
  hear(events: LocalEvents): void {
    this.#events = events;
    for (const tell of this.#untold.splice(0)) tell(events);
  }

  startConsole(): void {
    this.#services[0]?.service.start();
  }

  startOthers(): void {
    for (const { service } of this.#services.slice(1)) service.start();
  }

  /** Stops all services for good. Settles when they have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#services.map(({ service }) => service.stop()));
  }

  #tell(tell: (events: LocalEvents) => void): void {
    if (this.#events === null) this.#untold.push(tell);
    else tell(this.#events);
  }

  #serviceOf(command: ServiceCommand): { service: LocalService; standing: ServiceStatus } {
    const { name } = command;
    const standing: ServiceStatus = { name, state: 'starting', words: '' };
    const stand = (state: ServiceStatus['state'], words = ''): void => void Object.assign(standing, { state, words });
    const isConsole = name === 'console';
    const events = {
      said: (line: string) => this.#tell((told) => told.said(line, name)),
      starting: () => {
        stand('starting');
        if (isConsole) this.#tell((told) => told.starting());
      },
      ready: (address: URL | null) => {
        stand('running');
        if (!isConsole || address === null) return;
        this.#keepPort(address.port);
        this.#tell((told) => told.ready(address));
      },
      elsewhere: () => stand('elsewhere'),
      ended: (end: ServiceEnd) => {
        stand('ended', [end.reason, end.words].join('\n').trim());
        if (isConsole) this.#tell((told) => told.ended(end));
      },
    };
    const port = isConsole ? this.#keptPort() : 0;
    return { service: new LocalService({ ...command, port }, events, this.#log, timerSchedule), standing };
  }

  /** The port of the start before: at the same address Chromium finds the page's files and their compiled code again. */
  #keptPort(): number {
    try {
      const port = Number(readFileSync(this.#portFile, 'utf8'));
      return Number.isInteger(port) && port > 1_023 && port < 65_536 ? port : 0;
    } catch {
      return 0;
    }
  }

  #keepPort(port: string): void {
    if (String(this.#keptPort()) === port) return;
    try {
      writeFileSync(this.#portFile, port, { mode: 0o600 });
    } catch (error) {
      this.#log.warn('port of the console not kept', { reason: String(error) });
    }
  }
}
