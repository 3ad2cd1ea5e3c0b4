/**
 * NATS JetStream for the comparison: a server with one stream on its disk, a second server that reaches it as a leaf,
 * both with mutual TLS, and a reader that fetches pages into a sink.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AckPolicy, jetstream, jetstreamManager, StorageType, type Consumer } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort, waitFor } from '../../support/process.ts';
import type { BenchFixture } from '../bench.ts';
import type { Sink } from './sink.ts';
import type { Way } from './delivery-path.ts';

const STREAM = 'entries';
const HUB = 'hub';
/** Published messages whose acknowledgement is awaited together. */
const IN_FLIGHT = 1_000;

export interface NatsPair {
  /** A connection to the server that holds the stream, and one to the leaf beside the reader. */
  direct: NatsConnection;
  leaf: NatsConnection;
}

/** Its version, or null where none is installed. */
export function natsVersion(): string | null {
  const { status, stdout } = spawnSync('nats-server', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Starts both servers and stores the messages. */
export async function startNats(fixture: BenchFixture, way: Way, messages: readonly Uint8Array[]): Promise<NatsPair> {
  const { hubPort, leafPort } = await startServers(fixture, way, (port) => Promise.resolve(port));
  const [direct, leaf] = [await open(fixture, way, hubPort), await open(fixture, way, leafPort)];
  const manager = await jetstreamManager(direct);
  await manager.streams.add({ name: STREAM, subjects: [STREAM], storage: StorageType.File });
  const publisher = jetstream(direct);
  for (let from = 0; from < messages.length; from += IN_FLIGHT)
    await Promise.all(messages.slice(from, from + IN_FLIGHT).map((message) => publisher.publish(STREAM, message)));
  return { direct, leaf };
}

/** A stream whose push consumer delivers to the leaf. */
export interface NatsPush {
  /** Where a receiver connects, and the subject on which the messages come. */
  leafPort: number;
  subject: string;
  /** Resolves once the stream has stored the message on its disk. */
  publish(message: string): Promise<void>;
}

/** @param lineTo the port of a line to a port, for the leaf */
export async function startPush(
  fixture: BenchFixture,
  way: Way,
  lineTo: (port: number) => Promise<number>,
): Promise<NatsPush> {
  const { hubPort, leafPort } = await startServers(fixture, way, lineTo);
  const direct = await open(fixture, way, hubPort);
  const manager = await jetstreamManager(direct);
  await manager.streams.add({ name: STREAM, subjects: [STREAM], storage: StorageType.File });
  const subject = 'pushed';
  await manager.consumers.add(STREAM, {
    durable_name: subject,
    deliver_subject: subject,
    ack_policy: AckPolicy.Explicit,
  });
  const publisher = jetstream(direct);
  return { leafPort, subject, publish: async (message) => void (await publisher.publish(STREAM, message)) };
}

async function startServers(
  fixture: BenchFixture,
  way: Way,
  lineTo: (port: number) => Promise<number>,
): Promise<{ hubPort: number; leafPort: number }> {
  const [client, leafPort, leafClient] = [await freePort(), await freePort(), await freePort()];
  const tls = tlsBlock({ ...way.server, ca: way.server.clientCa });
  await startServer(
    fixture,
    client,
    `jetstream { store_dir: ${JSON.stringify(fixture.folder('jetstream'))}, domain: ${HUB} }
     leafnodes { port: ${leafPort}, host: "127.0.0.1", ${tls} }
     ${tls}`,
  );
  await startServer(
    fixture,
    leafClient,
    `leafnodes { remotes: [ { url: "tls://127.0.0.1:${await lineTo(leafPort)}", ${tlsBlock(way.identity)} } ] }
     ${tls}`,
  );
  return { hubPort: client, leafPort: leafClient };
}

/** Fetches everything, page after page; a page is acknowledged once it is durable. @returns entries per second */
export async function fetchAll(connection: NatsConnection, page: number, entries: number, sink: Sink): Promise<number> {
  const domain = { domain: HUB };
  const manager = await jetstreamManager(connection, domain);
  const name = `reader-${page}-${Math.round(performance.now() * 1_000)}`;
  await manager.consumers.add(STREAM, { durable_name: name, ack_policy: AckPolicy.All });
  const consumer = await jetstream(connection, domain).consumers.get(STREAM, name);
  const began = performance.now();
  for (let received = 0; received < entries;) received += await fetchPage(consumer, page, sink);
  const rate = entries / ((performance.now() - began) / 1_000);
  await manager.consumers.delete(STREAM, name);
  return rate;
}

async function fetchPage(consumer: Consumer, page: number, sink: Sink): Promise<number> {
  const bodies: Uint8Array[] = [];
  let last = null;
  for await (const message of await consumer.fetch({ max_messages: page, expires: 5_000 })) {
    bodies.push(message.data);
    last = message;
  }
  if (last === null) throw new Error('NATS has stopped half-way');
  sink.write(Buffer.concat(bodies));
  last.ack();
  return bodies.length;
}

const tlsBlock = ({ cert, key, ca }: Way['identity']): string =>
  `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}, ca_file: ${JSON.stringify(ca)}, verify: true }`;

async function startServer(fixture: BenchFixture, port: number, rest: string): Promise<void> {
  const file = path.join(fixture.folder('nats'), 'nats.conf');
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${rest}\n`);
  const child = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
  fixture.after(() => child.kill('SIGKILL'));
  await waitFor('nats-server', () => {
    if (child.exitCode !== null) throw new Error(`nats-server ended: ${said}`);
    return said.includes('Server is ready');
  });
}

async function open(fixture: BenchFixture, { identity }: Way, port: number): Promise<NatsConnection> {
  const read = (file: string): string => readFileSync(file, 'utf8');
  const tls = { cert: read(identity.cert), key: read(identity.key), ca: read(identity.ca) };
  const connection = await connect({ servers: `127.0.0.1:${port}`, tls });
  fixture.after(() => connection.close());
  return connection;
}
