/**
 * A TCP proxy in front of a PostgreSQL server that sees each statement before the server does, so that a
 * test can cut the connection between any two of them or lose the answer to one. Typical use:
 *
 *   const proxy = await startPostgresProxy(url, ({ text }) => (text === 'commit' ? 'lose the answer' : 'pass'));
 *   const store = await openPostgres(proxy.url);
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Statement {
  /** Counted from 1 over all connections. */
  number: number;
  /** Its SQL; empty for a statement that the connection has prepared before. */
  text: string;
}

/** The fate of a statement. In both faults the connection ends on the client's side. */
export type Fate = 'pass' | 'cut before it' | 'lose the answer';

export interface PostgresProxy {
  /** The server's address, by way of the proxy. */
  url: string;
  close(): Promise<void>;
}

/** Types of messages: simple query, parse, sync; and from the server, ready for the next. */
const QUERY = 0x51;
const PARSE = 0x50;
const SYNC = 0x53;
const READY = 0x5a;

export async function startPostgresProxy(
  target: string,
  decide: (statement: Statement) => Fate | Promise<Fate>,
): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let lost = false;
    upstream.on('data', (chunk) => {
      if (!lost) client.write(chunk);
      // The answer is complete: the statement has been executed.
      else if (endsReady(chunk)) client.destroy();
    });
    const takeIn = statements(
      async (text, bytes) => {
        count += 1;
        const fate = await decide({ number: count, text });
        if (fate === 'cut before it') {
          client.destroy();
          return;
        }
        if (fate === 'lose the answer') lost = true;
        upstream.write(bytes);
      },
      (bytes) => upstream.write(bytes),
    );
    client.on('data', (chunk) => takeIn(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A message is its type, its length in four bytes (including themselves), and its body. */
function statements(
  onStatement: (text: string, bytes: Buffer) => Promise<void>,
  onStart: (bytes: Buffer) => void,
): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  let gathered: Buffer[] = [];
  let text = '';
  let started = false;
  let turn = Promise.resolve();
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      // The first message of a connection has no type.
      const header = started ? 1 : 0;
      if (held.length < header + 4) return;
      const length = header + held.readUInt32BE(header);
      if (held.length < length) return;
      const message = held.subarray(0, length);
      held = held.subarray(length);
      const type = message[0];
      if (!started) {
        started = true;
        onStart(message);
        continue;
      }
      gathered.push(message);
      // A query's text follows at once, a prepared statement's after its name; both end with a zero.
      if (type === QUERY) text = message.toString('utf8', 5, length - 1);
      if (type === PARSE) {
        const from = message.indexOf(0, 5) + 1;
        text = message.toString('utf8', from, message.indexOf(0, from));
      }
      if (type !== QUERY && type !== SYNC) continue;
      const [whole, about] = [Buffer.concat(gathered), text];
      gathered = [];
      text = '';
      turn = turn.then(() => onStatement(about, whole));
    }
  };
}

/** Whether the server's last message is its six bytes "ready for query". */
function endsReady(chunk: Buffer): boolean {
  return chunk.length >= 6 && chunk[chunk.length - 6] === READY && chunk.readUInt32BE(chunk.length - 5) === 5;
}
