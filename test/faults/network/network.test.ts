/** Fault 22 at the Intake: a name that moves, a half-open connection, a network outage of minutes. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import dns from 'node:dns';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startScriptedCloud } from '../../support/scripted-cloud.ts';
import { IntakeFixture } from '../intake-fixture.ts';
import { entries } from '../truth.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** A stretch of network between the Intake and the cloud. */
class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #to: number;
  /** `DEAF` takes connections and lets nothing through; lines that are up stay up and fall silent. */
  mode: 'OPEN' | 'DEAF' = 'OPEN';
  connections = 0;

  constructor(to: number) {
    this.#to = to;
    this.#server = createServer((near) => this.#join(near));
  }

  async listen(host: string, port = 0): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Open connections behave as if the other side had lost power: no byte, no end, no reset. */
  silence(): void {
    for (const socket of this.#sockets) {
      // Taking the listener away lets the stream pause at a later moment; a byte that comes until then is lost, as it would be.
      socket.removeAllListeners('data').on('data', () => undefined);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #join(near: Socket): void {
    this.connections++;
    this.#keep(near);
    if (this.mode === 'DEAF') return;
    const far = connect(this.#to, '127.0.0.1');
    this.#keep(far);
    near
      .on('data', (piece: Buffer) => far.write(piece))
      .on('end', () => far.end())
      .on('close', () => far.destroy());
    far
      .on('data', (piece: Buffer) => near.write(piece))
      .on('end', () => near.end())
      .on('close', () => near.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}

async function behindLine(name = '127.0.0.1'): Promise<{ fixture: IntakeFixture; line: Line; port: number }> {
  const cloud = await startScriptedCloud({ entries: entries(40) });
  open.push(cloud);
  const line = new Line(cloud.port);
  open.push(line);
  const port = await line.listen('127.0.0.1');
  cloud.url = `http://${name}:${port}`;
  const fixture = new IntakeFixture(cloud);
  open.push(fixture);
  await fixture.pull();
  fixture.apply();
  expect(fixture.status().state).toBe('OK');
  // The line is free for the next poll only after a turn.
  await nextTurn();
  return { fixture, line, port };
}

/** Sets the name server's answers from now on. The rest of the way is real. */
function nameServer(addressOf: (name: string) => string | null): void {
  const lookup = (
    name: string,
    _: unknown,
    answer: (error: Error | null, found?: dns.LookupAddress[]) => void,
  ): void => {
    const address = addressOf(name);
    if (address === null) answer(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
    else answer(null, [{ address, family: 4 }]);
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
}

describe('22', () => {
  test('a line that is open on one side only costs one poll; the next one takes a new line', async () => {
    const { fixture, line } = await behindLine();
    line.silence();
    await fixture.pull();
    expect(fixture.status()).toMatchObject({ state: 'RETRYING', lastError: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
    await fixture.pull();
    expect(fixture.status().state).toBe('OK');
    expect(line.connections).toBe(2);
    await fixture.catchUp();
  });
  test('a partition of five minutes is reported while it lasts, and nothing is missing afterwards', async () => {
    const { fixture, line } = await behindLine();
    const { committedCursor, lastSuccessAt } = fixture.status();
    line.mode = 'DEAF';
    line.silence();
    for (let minute = 0; minute < 5; minute++) {
      fixture.now += 60_000;
      await fixture.pull();
      expect(fixture.status()).toMatchObject({
        state: 'RETRYING',
        committedCursor,
        lastSuccessAt,
        lastAttemptAt: fixture.instant(),
        lastError: { at: fixture.instant() },
      });
    }
    line.mode = 'OPEN';
    fixture.promises();
    await fixture.catchUp();
  });
  test('the upstream’s name vanishes, then points somewhere else: the next poll finds it', async () => {
    let address: string | null = '127.0.0.1';
    nameServer(() => address);
    const { fixture, line, port } = await behindLine('cloud.test');
    address = null;
    await line.close();
    await fixture.pull();
    expect(fixture.status()).toMatchObject({ state: 'RETRYING', lastError: { code: 'ENOTFOUND' } });
    const moved = new Line(fixture.cloud.port);
    open.push(moved);
    address = '127.0.0.2';
    await moved.listen(address, port);
    await fixture.catchUp();
    expect(moved.connections).toBeGreaterThan(0);
  });
});
