/**
 * A stretch of network between two parts: a TCP proxy on loopback whose weather a test changes while connections are
 * open. Its target may move, as that of a restarted part does.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * `CUT`: connections end and none is made. `HALF_OPEN`: they stay open and no byte arrives, nor the other side's end, then
 * and ever after: whoever waits on one must give it up.
 * `SLOW`: some 20 kB a second. `RESET`: connections are reset in the middle of an answer.
 */
export type Weather = { kind: 'CLEAR' | 'CUT' | 'HALF_OPEN' | 'SLOW' | 'RESET'; delayMs: number };

export const FINE: Weather = { kind: 'CLEAR', delayMs: 0 };
const SLOW_BYTES = 1_024;
const SLOW_MS = 50;

export class FaultProxy {
  readonly port: number;
  #weather: Weather = FINE;
  readonly #server;
  readonly #pairs = new Set<[Socket, Socket]>();
  /** Those over which nothing comes any more. */
  readonly #mute = new Set<[Socket, Socket]>();

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /**
   * @param target the port to connect to at this moment, which may be the proxy's own at another host; null: none listens
   * @param host of the target
   */
  static async start(target: (own: number) => number | null, host = '127.0.0.1'): Promise<FaultProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new FaultProxy(server);
    server.on('connection', (near) => proxy.#take(near, target(proxy.port), host));
    return proxy;
  }

  change(weather: Weather): void {
    this.#weather = weather;
    for (const pair of this.#pairs)
      if (weather.kind === 'HALF_OPEN') this.#mute.add(pair);
      else if (weather.kind === 'CUT') drop(pair, false);
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) drop(pair, false);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(near: Socket, port: number | null, host: string): void {
    near.on('error', () => undefined);
    if (port === null || this.#weather.kind === 'CUT') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, host);
    far.on('error', () => undefined);
    const pair: [Socket, Socket] = [near, far];
    this.#pairs.add(pair);
    if (this.#weather.kind === 'HALF_OPEN') this.#mute.add(pair);
    for (const socket of pair)
      socket.once('close', () => {
        if (this.#mute.has(pair) && !pair.every(({ destroyed }) => destroyed)) return;
        this.#pairs.delete(pair);
        this.#mute.delete(pair);
        drop(pair, false);
      });
    this.#pump(near, far, pair, false);
    this.#pump(far, near, pair, true);
  }

  /** Bytes keep their order: each chunk waits for the one before it. */
  #pump(from: Socket, to: Socket, pair: [Socket, Socket], isAnswer: boolean): void {
    let turn = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      const { kind, delayMs } = this.#weather;
      if (this.#mute.has(pair)) return;
      const due = performance.now() + delayMs;
      turn = turn.then(async () => {
        const left = due - performance.now();
        if (left > 0) await pause(left);
        if (to.destroyed) return;
        if (kind === 'RESET' && isAnswer) {
          // What comes after must not follow a half: a connection loses its end, and nothing in its middle.
          await new Promise((resolve) => to.write(chunk.subarray(0, Math.floor(chunk.length / 2)), resolve));
          drop(pair, true);
          return;
        }
        const step = kind === 'SLOW' ? SLOW_BYTES : chunk.length;
        for (let at = 0; at < chunk.length && !to.destroyed; at += step) {
          if (kind === 'SLOW') await pause(SLOW_MS);
          to.write(chunk.subarray(at, at + step));
        }
      });
    });
    from.on('end', () => void turn.then(() => (this.#mute.has(pair) ? undefined : to.end())));
  }
}

function drop(pair: [Socket, Socket], isReset: boolean): void {
  for (const socket of pair) {
    if (socket.destroyed) continue;
    // Node never closes a connection that is reset while its end is being sent, and waits for it when the process ends.
    if (isReset && !socket.writableEnded) socket.resetAndDestroy();
    else socket.destroy();
  }
}
