/** The whole of Causeway on this machine, started like a user does, and used from outside. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LineAnswer, Load } from '../../../cloud/publication/load.ts';
import type { RunFile } from '../../../electron/start/run-file.ts';
import type { Page as ListPage, ServedExplanation } from '../../../shared/wire/console/console.ts';
import type { Envelope } from '../../../shared/wire/envelope.ts';
import { BUNDLES, startPart, type Part } from '../../support/process.ts';

/** So rarely that the demo's own loads do not interfere. */
const QUIET_PACE_SECONDS = '3600';
const BUNDLED_PARTS = new URL('../../support/bundled-parts.ts', import.meta.url).href;

export class WholeRun {
  readonly home: string;
  readonly part: Part;
  readonly told: RunFile;

  private constructor(home: string, part: Part, told: RunFile) {
    this.home = home;
    this.part = part;
    this.told = told;
  }

  /** `npm start -- --no-window` on a data folder, a demo without a past; resolves when everything answers. */
  static async start(home: string): Promise<WholeRun> {
    const part = startPart('electron/start/main.ts', {
      args: ['--no-window'],
      env: {
        CAUSEWAY_HOME: home,
        CAUSEWAY_DEMO_PACE_SECONDS: QUIET_PACE_SECONDS,
        CAUSEWAY_DEMO_WEEKS: '0',
        [BUNDLES]: process.env[BUNDLES],
        NODE_OPTIONS: `--import ${BUNDLED_PARTS}`,
      },
    });
    await part.output('Ctrl-C ends everything', 90_000);
    return new WholeRun(home, part, JSON.parse(readFileSync(path.join(home, 'run.json'), 'utf8')) as RunFile);
  }

  /** The answer to a channel for a ticker now: status, and the text if any. */
  async served(ticker: string, channel = 'MTS'): Promise<{ status: number; result: ServedExplanation | undefined }> {
    const key = this.told.provision.channels.find((known) => known.channel === channel)?.key ?? '';
    const answer = await fetch(`${this.told.provision.url}/v1/explanations/${ticker}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const body = (await answer.json()) as Envelope<ServedExplanation>;
    return { status: answer.status, result: body.isSuccess ? body.result : undefined };
  }

  /** Sends loads to the engine's door. */
  async load(...loads: Load[]): Promise<LineAnswer[]> {
    const answer = await fetch(`${this.told.engine.url}/internal/v1/loads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.told.engine.token}`, 'content-type': 'application/x-ndjson' },
      body: loads.map((load) => JSON.stringify(load)).join('\n'),
    });
    const body = (await answer.json()) as Envelope<{ lines: LineAnswer[] }>;
    if (!body.isSuccess || body.result === undefined) throw new Error(`the door refused: ${JSON.stringify(body)}`);
    return body.result.lines;
  }

  /** The vendor's operator withdraws a published explanation. Returns the status of the answer. */
  async invalidate(id: string, reason: string): Promise<number> {
    const cookie = await logIn(this.told.operatorConsole.url, this.told.operatorConsole.account);
    const answer = await fetch(`${this.told.operatorConsole.url}/api/v1/analyses/${id}/invalidate`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ reason }),
    });
    return answer.status;
  }

  /** Reads from the console API as one of the demo's accounts. */
  async read<T>(username: string, resource: string): Promise<T> {
    const account = this.told.tenantConsole.accounts.find((known) => known.username === username);
    if (account === undefined) throw new Error(`the run has no account ${username}`);
    const cookie = await logIn(this.told.tenantConsole.url, account);
    const answer = await fetch(`${this.told.tenantConsole.url}${resource}`, { headers: { cookie } });
    const body = (await answer.json()) as Envelope<T>;
    if (!body.isSuccess || body.result === undefined) throw new Error(`${resource}: ${JSON.stringify(body)}`);
    return body.result;
  }

  /** The number of matching items. */
  async count(resource: string): Promise<number> {
    return (await this.read<ListPage<unknown>>('viewer', resource)).total;
  }
}

async function logIn(url: string, account: { username: string; password: string }): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: account.username, password: account.password }),
  });
  if (answer.status !== 200) throw new Error(`login of ${account.username} was answered ${answer.status}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
