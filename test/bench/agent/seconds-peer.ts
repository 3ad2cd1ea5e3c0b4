/**
 * The other side of `seconds`, as two processes over one SQLite file: `receive` takes what NATS pushes and writes it
 * as durably as the ledger, `read` answers by HTTP what the file says now.
 *
 *   node seconds-peer.ts read FILE
 *   node seconds-peer.ts receive FILE LEAF_PORT SUBJECT CERT KEY CA
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from '@nats-io/transport-node';
import Database from 'better-sqlite3';

/** One message; a text that is null takes the ticker's off. */
export interface PeerMessage {
  ticker: string;
  text: string | null;
}

const [mode = '', file = '', port = '', subject = '', cert = '', key = '', ca = ''] = process.argv.slice(2);
const db = new Database(file);
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'busy_timeout = 5000']) db.pragma(pragma);
db.exec('CREATE TABLE IF NOT EXISTS shown (ticker TEXT PRIMARY KEY, text TEXT)');
const say = (name: string, url: string): void => console.log(JSON.stringify({ msg: 'listening', name, url }));

function read(): void {
  const find = db.prepare<[string], { text: string | null }>('SELECT text FROM shown WHERE ticker = ?');
  const server = createServer((request, response) => {
    const text = find.get(request.url?.split('/').at(-1) ?? '')?.text ?? null;
    response.writeHead(text === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ text }));
  });
  server.listen(0, '127.0.0.1', () => say('reader', `http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

async function receive(): Promise<void> {
  const text = (path: string): string => readFileSync(path, 'utf8');
  const leaf = await connect({ servers: `127.0.0.1:${port}`, tls: { cert: text(cert), key: text(key), ca: text(ca) } });
  const write = db.prepare<[string, string | null]>('INSERT OR REPLACE INTO shown (ticker, text) VALUES (?, ?)');
  leaf.subscribe(subject, {
    callback: (error, message) => {
      if (error !== null) throw error;
      const { ticker, text: shown } = message.json<PeerMessage>();
      write.run(ticker, shown);
      message.respond();
    },
  });
  await leaf.flush();
  say('receiver', `nats://127.0.0.1:${port}`);
}

process.once('SIGTERM', () => process.exit(0));
if (mode === 'read') read();
else await receive();
