/** Runs the cloud: bundle endpoint, operator API and engine's door over one store, until a signal stops it. */
import { X509Certificate, type KeyObject } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Checkpoints } from '../../shared/service/checkpoints/schedule.ts';
import { endProcess } from '../../shared/service/end-process.ts';
import { closeServers } from '../../shared/service/http/drain.ts';
import { FollowedTls, readNamedTls, type PairFiles } from '../../shared/service/tls/server-tls.ts';
import { helpText, readVariables } from '../../shared/service/variables.ts';
import { tellReady } from '../../shared/service/ready.ts';
import { systemClock, systemIds } from '../../shared/time/clock.ts';
import {
  checkpointPlace,
  doorFiles,
  operatorFiles,
  replicaAddress,
  SERVE_VARIABLES,
  signingLock,
} from '../config/config.ts';
import { startDemoPipeline } from '../demo/pipeline/pipeline.ts';
import { createEngineDoor } from '../ingest/server.ts';
import { chooseAdapters, readAdapters } from '../facts/adapters/choose.ts';
import { activityLogOf } from '../accounts/activity-log.ts';
import { createOperatorServer } from '../operator/server.ts';
import { readSigningKey } from '../pki/files.ts';
import { keyIdOf, signingKeyFile } from '../pki/signing-key.ts';
import { CloudMetrics } from '../operations/metrics.ts';
import { createOperationsServer } from '../operations/operations.ts';
import { GRACE_MS, listen } from '../operations/server.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';
import { STORE_VERSION } from '../store/migrations/index.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import { openReplica } from '../store/replica.ts';
import { RetentionSchedule } from '../publication/retention-default.ts';
import { PullLog } from '../sync/pull-log.ts';
import { ReplicaBundles } from '../sync/replica-bundles.ts';
import { createSyncServer, replaceTlsFiles } from '../sync/server.ts';
import { FileWatch, type FileChange } from '../../shared/service/tls/file-watch.ts';
import { readTlsFiles, type TlsFiles } from '../pki/tls-files.ts';
import type { Command } from './command.ts';
import { DEMO_OPERATOR } from './init.ts';

export const serve: Command = {
  usage: ['causeway-cloud'],
  about: "Serves the bundle endpoint, the operator API, the engine's door, health and metrics.",
  help: () => helpText('causeway-cloud', serve.about, SERVE_VARIABLES),
  run: async ({ env }) => {
    const config = readVariables(SERVE_VARIABLES, env);
    // Files first: their faults appear before the store is touched.
    const tlsPaths = {
      cert: config.CAUSEWAY_SYNC_CERT,
      key: config.CAUSEWAY_SYNC_KEY,
      clientCa: config.CAUSEWAY_SYNC_CLIENT_CA,
    };
    let tls = readTlsFiles(tlsPaths);
    const listeners = { operator: followed(operatorFiles(config), readNamedTls), engine: followed(doorFiles(config)) };
    const signingFile = signingKeyFile(config);
    const readSigning = (file: string): KeyObject => readSigningKey(file, signingLock(config));
    const signing = signingFile === undefined ? null : { file: signingFile, key: readSigning(signingFile) };
    const adapters = readAdapters(config, config.CAUSEWAY_DATABASE_URL === undefined);
    const trustedProxies = config.CAUSEWAY_OPERATOR_TRUSTED_PROXY;
    const readUrl = replicaAddress(config);
    const stopped = stopSignal();
    let migrated: readonly number[] = [];
    const opening = prepareStore(config, systemClock, (applied) => (migrated = applied));
    if (config.CAUSEWAY_DATABASE_URL !== undefined) {
      // A server that says nothing holds up the start, not the stop; one that still answers in time ends what has begun.
      const isStopped = await Promise.race([opening.then(() => false), stopped.then(() => true)]);
      if (isStopped) {
        void opening.then((late) => late.close()).catch(() => undefined);
        endProcess(0);
        return 0;
      }
    }
    const store = await opening;
    store.hurry(true);
    const replica = readUrl === undefined ? null : await openReplica(readUrl, config.CAUSEWAY_DATABASE_CONNECTIONS);
    const place = checkpointPlace(config);
    const logger = {
      info: (facts: object, message: string) => servers[0]?.log.info(facts, message),
      error: (facts: object, message: string) => servers[0]?.log.error(facts, message),
    };
    const checkpoints =
      place === null ? null : new Checkpoints({ log: activityLogOf(store.db), place, clock: systemClock, logger });
    const metrics = new CloudMetrics(
      () => store.connections(),
      () => checkpoints?.state ?? null,
      {
        certificates: () => ({
          'bundle endpoint': tls.cert,
          'client authority': tls.clientCa,
          ...(listeners.operator === null ? {} : { 'operator API': listeners.operator.current.cert }),
          ...(listeners.engine === null ? {} : { "engine's door": listeners.engine.current.cert }),
        }),
        backups: config.CAUSEWAY_BACKUP_FOLDER ?? null,
      },
    );
    const parts = { store, metrics, clock: systemClock, ids: systemIds, log: config.CAUSEWAY_CLOUD_LOG_LEVEL };
    const servers: FastifyInstance[] = [];
    const watches: { stop(): void }[] = [];
    let demo: { stop(): Promise<void> } | null = null;
    const pullLog = new PullLog(
      store,
      (error) => servers[0]?.log.error({ err: error }, 'the pull log cannot be written'),
      (passed) => metrics.passed(passed),
    );
    let retention: RetentionSchedule | null = null;
    let isOrdered = false;
    try {
      const sync = createSyncServer({
        ...parts,
        tls,
        signingKey: signing === null ? null : () => signing.key,
        pullLog,
        calculations: config.CAUSEWAY_SYNC_CALCULATIONS === 'on',
        replica:
          replica === null
            ? undefined
            : new ReplicaBundles(replica, {
                asked: (outcome) => metrics.readAtReplica(outcome),
                turned: (error) => tellOfReplica(sync, error),
              }),
      });
      servers.push(sync);
      sync.log.info({ version: PRODUCT_VERSION, schema: STORE_VERSION }, 'starting');
      if (signing === null)
        sync.log.warn(
          'answers are not signed: a relay could hide withdrawals; run init, or name a key in CAUSEWAY_SYNC_SIGNING_KEY',
        );
      else sync.log.info({ kid: keyIdOf(signing.key) }, 'answers are signed');
      if (migrated.length > 0) sync.log.info({ versions: migrated }, 'the store was brought to a newer schema');
      const operator = await createOperatorServer({
        ...parts,
        ...chooseAdapters(adapters, store, systemClock),
        listenHost: config.CAUSEWAY_OPERATOR_LISTEN.host,
        limits: {
          idleMs: config.CAUSEWAY_OPERATOR_IDLE_SECONDS * 1_000,
          absoluteMs: config.CAUSEWAY_OPERATOR_SESSION_SECONDS * 1_000,
        },
        tls: listeners.operator,
        ...(config.CAUSEWAY_OPERATOR_ORIGIN === undefined ? {} : { origin: config.CAUSEWAY_OPERATOR_ORIGIN }),
        ...(trustedProxies === undefined ? {} : { trustedProxies }),
        consoleFolder: config.CAUSEWAY_OPERATOR_PAGES,
        ...(config.CAUSEWAY_DEMO === '1' ? { demo: { accounts: [DEMO_OPERATOR] } } : {}),
      });
      servers.push(operator);
      const engine = createEngineDoor({ ...parts, token: config.CAUSEWAY_ENGINE_TOKEN, tls: listeners.engine });
      servers.push(engine);
      const operations = createOperationsServer(parts);
      servers.push(operations);
      await listen(sync, 'https', 'CAUSEWAY_SYNC_LISTEN', config.CAUSEWAY_SYNC_LISTEN);
      await listen(operator, schemeOf(listeners.operator), 'CAUSEWAY_OPERATOR_LISTEN', config.CAUSEWAY_OPERATOR_LISTEN);
      await listen(engine, schemeOf(listeners.engine), 'CAUSEWAY_ENGINE_LISTEN', config.CAUSEWAY_ENGINE_LISTEN);
      await listen(operations, 'http', 'CAUSEWAY_CLOUD_METRICS_LISTEN', config.CAUSEWAY_CLOUD_METRICS_LISTEN);
      retention = new RetentionSchedule({ store, clock: systemClock, log: sync.log });
      retention.start();
      tellReady();
      for (const [tls, server] of [
        [listeners.operator, operator],
        [listeners.engine, engine],
      ] as const) {
        if (tls === null) continue;
        tls.follow(server.server, server.log);
        watches.push(tls);
      }
      if (checkpoints !== null) {
        checkpoints.start();
        watches.push(checkpoints);
      }
      watches.push(
        new FileWatch({
          paths: Object.values(tlsPaths),
          first: tls,
          read: () => readTlsFiles(tlsPaths),
          told: (change) => {
            if (change.kind === 'TAKEN') tls = change.files;
            takeTlsChange(sync, change);
          },
        }).every(),
      );
      if (signing !== null)
        watches.push(
          new FileWatch({
            paths: [signing.file],
            first: signing.key,
            read: () => readSigning(signing.file),
            told: (change) => takeSigningKey(sync, signing, change),
          }).every(),
        );
      if (config.CAUSEWAY_DEMO === '1')
        demo = startDemoPipeline(
          store,
          systemClock,
          (error) => operator.log.warn({ err: error }, 'the demo pipeline cannot write its ledger, trying again'),
          config.CAUSEWAY_DEMO_WEEKS,
        );
      await stopped;
      isOrdered = true;
    } finally {
      for (const watch of watches) watch.stop();
      await demo?.stop();
      // A silent or slow database is left behind: it rolls back the transactions that had begun.
      const leaveAfter = (ms: number): NodeJS.Timeout =>
        setTimeout(() => {
          if (isOrdered && config.CAUSEWAY_DATABASE_URL !== undefined) process.exit(0);
        }, ms);
      let late = leaveAfter(GRACE_MS + FAREWELL_MS);
      // Finishes running requests first, and closes the store after the last of them and its log.
      await closeServers(servers, GRACE_MS);
      clearTimeout(late);
      late = leaveAfter(FAREWELL_MS);
      await pullLog.flush();
      await retention?.stop();
      await replica?.close();
      await store.close();
      clearTimeout(late);
    }
    return 0;
  },
};

/** For the last writes to the database, in ms: with that of the last requests less than the 10 s of a stop (D40). */
const FAREWELL_MS = 2_000;

function tellOfReplica(sync: FastifyInstance, error: unknown): void {
  if (error === null) sync.log.info('the read replica answers again');
  else sync.log.warn({ err: error }, 'the read replica does not answer; the primary gives all bundles meanwhile');
}

const followed = (files: PairFiles | null, read?: typeof readNamedTls): FollowedTls | null =>
  files === null ? null : new FollowedTls(files, read);

const schemeOf = (tls: object | null): 'http' | 'https' => (tls === null ? 'http' : 'https');

function takeTlsChange(sync: FastifyInstance, change: FileChange<TlsFiles>): void {
  switch (change.kind) {
    case 'TAKEN': {
      replaceTlsFiles(sync, change.files);
      const { subject, validTo, fingerprint256 } = new X509Certificate(change.files.cert);
      sync.log.info({ subject, validTo, fingerprint256 }, 'new certificate files are in use');
      return;
    }
    case 'REFUSED':
      sync.log.error(
        { err: change.error },
        'the new certificate files are not taken into use, and the old ones stay: see that certificate, key and client authority fit',
      );
  }
}

function takeSigningKey(sync: FastifyInstance, signing: { key: KeyObject }, change: FileChange<KeyObject>): void {
  if (change.kind === 'REFUSED') {
    sync.log.error({ err: change.error }, 'the new signing key is not taken into use, and the old one stays');
    return;
  }
  signing.key = change.files;
  sync.log.info({ kid: keyIdOf(signing.key) }, 'a new signing key is in use');
}

/** Resolves at the first SIGINT or SIGTERM. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
