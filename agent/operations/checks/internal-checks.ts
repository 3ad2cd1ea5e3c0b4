/** The doctor's checks of the parts around the ledger: Intake, provision API, console API and backups. */
import type { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { ConfigurationError, readVariables, variable, type ListenAddress } from '../../../shared/service/variables.ts';
import { classifyResponse } from '../../intake/receive/classify-response.ts';
import { BACKUPS_VARIABLES, lastBackupAt } from '../../intake/backup/backups.ts';
import { createUpstream, NoAnswerError, OversizedAnswerError } from '../../intake/receive/pull.ts';
import { readSettings, StartError, verificationOf, type Settings } from '../../intake/settings.ts';
import { isKeyCopied, journalKeyFile, readJournalKeys } from '../../ledger/journal/journal-key.ts';
import { placeOf } from '../../ledger/journal/records.ts';
import { journalState } from '../../ledger/journal/journal.ts';
import { openLedgerToRead, type Ledger } from '../../ledger/storage/ledger.ts';
import { keyIdOf } from '../../intake/receive/statement.ts';
import { provisionFiles, PROVISION_VARIABLES } from '../../provision/provision.ts';
import { checkListener, checkPagePort } from '../../../shared/service/listening.ts';
import { CORRECT_SETTINGS, type CheckContext } from './doctor.ts';
import { examine, ok, refused, validSettings, warn, wrong, type Finding } from '../../../shared/service/findings.ts';
import { checkAuthorities, checkFolder, checkNamedFile, checkValidity, type NamedFile } from './check-files.ts';
import { lifeFinding } from '../../../shared/service/tls/certificate-findings.ts';
import { certificatesOf } from '../../../shared/service/tls/pem.ts';
import { readNamedTls, readServerTls, ServerTlsError } from '../../../shared/service/tls/server-tls.ts';
import type { Account } from '../../../shared/service/install/account.ts';
import { checkLedger, checkWriteLock, checkReception, type LedgerState } from './check-ledger.ts';
import { checkUpstream } from './check-network.ts';
import { checkOwnCertificate, checkOwnVersion, checkRelayVersion } from './check-version.ts';

export async function checkIntake(context: CheckContext): Promise<Finding[]> {
  const { env, account, now, freeBytes } = context;
  const files = intakeFiles(env);
  const seen = files.flatMap((file) => checkNamedFile(file, account));
  let settings: Settings;
  try {
    settings = readSettings(env);
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof StartError)) throw error;
    return [...seen.filter(({ verdict }) => verdict === 'WRONG'), ...refused(error, CORRECT_SETTINGS)];
  }
  const findings = [validSettings(), ...seen];
  const identity = settings.identity.read();
  if (identity.cert !== undefined) findings.push(checkValidity('client certificate', identity.cert, now()));
  if (identity.ca !== undefined) findings.push(...checkAuthorities('CAUSEWAY_INTAKE_CA', identity.ca, now()));
  findings.push(checkVerifyKey(settings));
  const ledger = checkLedger(settings.ledger, account, freeBytes, now());
  findings.push(...ledger.findings, ...(await checkWriteLock(settings.ledger)), checkTenant(settings, ledger));
  findings.push(...(await checkMetrics('intake', 'the Intake', settings.metricsListen)));
  const who = 'the upstream (relay or cloud)';
  const reached = await checkUpstream(who, settings.upstream, identity, now);
  findings.push(...reached.findings);
  if (reached.answered) {
    const relay = await checkRelayVersion(settings.upstream, identity);
    findings.push(...relay);
    // What another part answers says nothing about the certificate.
    if (!relay.some(({ verdict }) => verdict === 'WRONG')) findings.push(await checkResponse(settings, ledger, now()));
  }
  if (ledger.state !== null) findings.push(...checkReception(ledger.state.status, settings.pollMs, now()));
  return findings;
}

export function checkProvision({ env, account, freeBytes, now }: CheckContext): Promise<Finding[]> {
  const read = () => {
    const values = readVariables(PROVISION_VARIABLES, env);
    return { values, files: provisionFiles(values) };
  };
  return examine(read, CORRECT_SETTINGS, [
    validSettings,
    ({ files }) => checkServerPair('provision API', files ?? { prefix: 'CAUSEWAY_PROVISION' }, account, now()),
    ({ values }) => checkLedger(values.CAUSEWAY_LEDGER, account, freeBytes, now()).findings,
    ({ values }) => checkWriteLock(values.CAUSEWAY_LEDGER),
    ({ values }) => checkListener('listener', 'the provision API', values.CAUSEWAY_PROVISION_LISTEN),
    ({ values, files }) => checkWhoAnswers('provision', values.CAUSEWAY_PROVISION_LISTEN, files?.cert),
    ({ values }) => checkMetrics('provision', 'the provision API', values.CAUSEWAY_PROVISION_METRICS_LISTEN),
  ]);
}

/** The console API's variables that this program knows; the console API reports on the others when it starts. */
const CONSOLE_VARIABLES = {
  CAUSEWAY_LEDGER: variable.required('the file of the ledger', variable.text),
  CAUSEWAY_CONSOLE_LISTEN: variable.defaulted(
    'where the API is served',
    { host: '127.0.0.1', port: 4300 },
    variable.listenAddress,
  ),
  CAUSEWAY_CONSOLE_CERT: variable.optional('certificate for desktops on other hosts', variable.text),
  CAUSEWAY_CONSOLE_KEY: variable.optional('its key', variable.text),
  CAUSEWAY_CONSOLE_SSO_CA: variable.optional('authority of the provider of single sign-on', variable.text),
  CAUSEWAY_CONSOLE_RELAY_CERT: variable.optional('client certificate for the relay', variable.text),
  CAUSEWAY_CONSOLE_RELAY_KEY: variable.optional('its key', variable.text),
  CAUSEWAY_CONSOLE_RELAY_CA: variable.optional('authority of the relay’s certificate', variable.text),
  CAUSEWAY_CONSOLE_METRICS_LISTEN: variable.optional('where Prometheus asks for numbers', variable.listenAddress),
  CAUSEWAY_DECISION_JOURNAL: variable.optional('folder of the decision journal', variable.text),
};

export function checkConsoleApi({ env, account, freeBytes, now }: CheckContext): Promise<Finding[]> {
  const pair = { prefix: 'CAUSEWAY_CONSOLE', read: readNamedTls };
  const relay = { prefix: 'CAUSEWAY_CONSOLE_RELAY' };
  return examine(() => readVariables(CONSOLE_VARIABLES, env), CORRECT_SETTINGS, [
    ({ CAUSEWAY_CONSOLE_CERT: cert, CAUSEWAY_CONSOLE_KEY: key }) =>
      checkServerPair('console API', { ...pair, cert, key }, account, now()),
    (values) => checkAuthorityFile('CAUSEWAY_CONSOLE_SSO_CA', values.CAUSEWAY_CONSOLE_SSO_CA, account, now()),
    ({ CAUSEWAY_CONSOLE_RELAY_CERT: cert, CAUSEWAY_CONSOLE_RELAY_KEY: key }) =>
      checkServerPair('console API for its relay', { ...relay, cert, key }, account, now()),
    (values) => checkAuthorityFile('CAUSEWAY_CONSOLE_RELAY_CA', values.CAUSEWAY_CONSOLE_RELAY_CA, account, now()),
    (values) => checkLedger(values.CAUSEWAY_LEDGER, account, freeBytes, now()).findings,
    (values) => checkWriteLock(values.CAUSEWAY_LEDGER),
    (values) => checkJournal(values.CAUSEWAY_LEDGER, values.CAUSEWAY_DECISION_JOURNAL, account),
    (values) => checkListener('listener', 'the console API', values.CAUSEWAY_CONSOLE_LISTEN),
    (values) => checkPagePort('listener', values.CAUSEWAY_CONSOLE_LISTEN),
    (values) => checkWhoAnswers('console-api', values.CAUSEWAY_CONSOLE_LISTEN, values.CAUSEWAY_CONSOLE_CERT),
    (values) => checkMetrics('console-api', 'the console API', values.CAUSEWAY_CONSOLE_METRICS_LISTEN),
  ]);
}

/** The listener of a part's metrics, where it has one. */
async function checkMetrics(
  part: 'intake' | 'provision' | 'console-api',
  named: string,
  address: ListenAddress | null | undefined,
): Promise<Finding[]> {
  if (address === null || address === undefined) return [];
  return [await checkListener('listener (metrics)', named, address), ...(await checkOwnVersion(part, address))];
}

/** @param cert the file of its certificate; undefined: it speaks plain HTTP */
async function checkWhoAnswers(
  part: 'provision' | 'console-api',
  address: ListenAddress,
  cert: string | undefined,
): Promise<Finding[]> {
  if (cert === undefined) return checkOwnVersion(part, address);
  try {
    return await checkOwnCertificate(part, readFileSync(cert, 'utf8'), address);
  } catch {
    // The check of the pair names a file that holds no certificate.
    return [];
  }
}

function checkJournal(file: string, folder: string | undefined, account: Account | null): Finding[] {
  const about = 'decision journal';
  if (folder === undefined || !existsSync(file)) return [];
  const todo =
    'see that its disk is mounted, has room and lets the console API write; guide/backup.md has the next steps';
  try {
    const ledger = openLedgerToRead(file);
    try {
      const { said, isWhole } = journalState(ledger, folder);
      const findings = isWhole ? [ok(about, said), ...checkFolder(about, folder, account)] : [wrong(about, said, todo)];
      if (existsSync(folder) && statSync(folder).dev === statSync(file).dev)
        findings.push(warn(about, 'it is on the same disk as the ledger', 'use another disk: one fault takes both'));
      return [...findings, ...checkJournalKey(ledger)];
    } finally {
      ledger.close();
    }
  } catch (error) {
    return [wrong(about, error instanceof Error ? error.message : String(error), todo)];
  }
}

/** The key must outlive the host that the journal is for (D208). */
function checkJournalKey(ledger: Ledger): Finding[] {
  const about = 'journal key';
  const file = journalKeyFile(ledger.file);
  const [key] = readJournalKeys(file);
  if (key === undefined)
    return placeOf(ledger).seq === 0
      ? []
      : [
          wrong(
            about,
            `${file} is not there`,
            'put its copy there; where it is lost, "console-api journal begin" makes another',
          ),
        ];
  if ((statSync(file).mode & 0o077) !== 0 && process.platform !== 'win32')
    return [wrong(about, `others may read ${file}`, `chmod 600 ${file}`)];
  return isKeyCopied(ledger, key)
    ? [ok(about, 'a copy of it is on record')]
    : [
        warn(
          about,
          `no copy of ${file} is confirmed: without one nothing in the journal can be proved after this host is lost`,
          `copy it to another host or disk, then "console-api journal copied FILE"`,
        ),
      ];
}

interface Pair {
  prefix: string;
  cert?: string | undefined;
  key?: string | undefined;
  /** As the part reads it at its start; unset: without a question for its names. */
  read?: typeof readServerTls;
}

/** The certificate that others are shown, judged as the part judges it at its start. */
function checkServerPair(
  who: string,
  { prefix, cert, key, read = readServerTls }: Pair,
  account: Account | null,
  now: Date,
): Finding[] {
  const files = Object.entries({ [`${prefix}_CERT`]: cert, [`${prefix}_KEY`]: key });
  const findings = files.flatMap(([name, file]) =>
    file === undefined ? [] : checkNamedFile({ variable: name, file, secret: name.endsWith('_KEY') }, account),
  );
  if (cert === undefined || key === undefined || !existsSync(cert) || !existsSync(key)) return findings;
  const about = `certificate of the ${who}`;
  const [first] = certificatesRead(cert);
  if (first !== undefined) findings.push(lifeFinding(about, first, now));
  try {
    read({ prefix, cert, key });
  } catch (error) {
    if (!(error instanceof ServerTlsError)) throw error;
    findings.push(wrong(about, error.message, 'put the whole files in place that belong together'));
  }
  return findings;
}

/** None where the file is refused: the reading of the pair says why. */
function certificatesRead(file: string): X509Certificate[] {
  try {
    return certificatesOf(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}

function checkAuthorityFile(name: string, file: string | undefined, account: Account | null, now: Date): Finding[] {
  if (file === undefined) return [];
  const findings = checkNamedFile({ variable: name, file, secret: false }, account);
  if (findings.some(({ verdict }) => verdict === 'WRONG')) return findings;
  return [...findings, ...checkAuthorities(name, readFileSync(file, 'utf8'), now)];
}

/** A backup that is older than this was missed at least once. */
const BACKUP_HOURS = 36;

export function checkBackup({ env, account, now, freeBytes }: CheckContext): Promise<Finding[]> {
  return examine(() => readVariables(BACKUPS_VARIABLES, env), CORRECT_SETTINGS, [
    validSettings,
    (values) => checkLedger(values.CAUSEWAY_LEDGER, account, freeBytes, now()).findings,
    (values) => checkBackups(values.CAUSEWAY_BACKUP_FOLDER, values.CAUSEWAY_LEDGER, account, now()),
  ]);
}

function checkBackups(folder: string, ledger: string, account: Account | null, now: Date): Finding[] {
  const barred = checkFolder('backups', folder, account);
  const last = lastBackupAt(folder);
  if (last === null) {
    if (existsSync(folder) && barred.length > 0) return barred;
    const todo = 'systemctl start causeway-backup.service, and see its log';
    return [wrong('backups', `there is no backup in ${folder}`, todo)];
  }
  const hours = Math.floor((now.getTime() - last.getTime()) / 3_600_000);
  const said = `the newest in ${folder} is of ${last.toISOString()}, ${hours} hours old`;
  const findings =
    hours > BACKUP_HOURS
      ? [wrong('backups', said, 'causeway-agent service logs backup has the cause')]
      : [ok('backups', said)];
  if (existsSync(ledger) && statSync(ledger).dev === statSync(folder).dev)
    findings.push(warn('backups', 'they are on the same disk as the ledger', 'use another disk: one fault takes both'));
  return [...findings, ...barred];
}

function intakeFiles(env: CheckContext['env']): NamedFile[] {
  return ['CAUSEWAY_INTAKE_CERT', 'CAUSEWAY_INTAKE_KEY', 'CAUSEWAY_INTAKE_CA', 'CAUSEWAY_INTAKE_VERIFY_KEY'].flatMap(
    (name) => {
      const file = env[name];
      return file === undefined || file === ''
        ? []
        : [{ variable: name, file, secret: name === 'CAUSEWAY_INTAKE_KEY' }];
    },
  );
}

/** Without the vendor's key a relay, or an attacker in its place, can hide withdrawals unnoticed (D59). */
function checkVerifyKey({ verifyKey }: Settings): Finding {
  if (verifyKey !== null) return ok('verification key', `the vendor's: ${verifyKey.read().map(keyIdOf).join(', ')}`);
  const todo = 'ask the vendor for signing.pub, and name it in CAUSEWAY_INTAKE_VERIFY_KEY';
  return warn('verification key', 'none: a relay that was taken over could hide withdrawals', todo);
}

/** Before the first bundle only this setting gives an Intake behind a relay its tenant. */
function checkTenant({ tenantId }: Settings, { state }: LedgerState): Finding {
  const bound = state?.tenantId ?? null;
  if (bound !== null && tenantId !== null && bound !== tenantId)
    return wrong(
      'tenant',
      `the ledger belongs to tenant ${bound}, and CAUSEWAY_INTAKE_TENANT names ${tenantId}`,
      'ask the vendor which of the two is right',
    );
  const known = bound ?? tenantId;
  if (known !== null) return ok('tenant', `only bundles for tenant ${known} are accepted`);
  const todo = 'set CAUSEWAY_INTAKE_TENANT to the number that the vendor names';
  return warn('tenant', 'none is named: the first bundle will decide which tenant the ledger belongs to', todo);
}

/** A pull like the Intake's; its result is not stored. */
async function checkResponse(settings: Settings, { state }: LedgerState, now: Date): Promise<Finding> {
  const upstream = createUpstream(settings.upstream, settings.identity.read());
  const after = state?.status.committedCursor ?? 0;
  try {
    const answer = await upstream.pull({ after, limit: 1 }, new AbortController().signal);
    const verification = verificationOf(settings);
    const tenantId = state?.tenantId ?? settings.tenantId;
    const position = { after, tenantId, lastHead: null, verification, now };
    const judged = classifyResponse(answer, position);
    switch (judged.kind) {
      case 'NOTHING_NEW':
        return ok('pull', `nothing new after cursor ${after}`);
      case 'BUNDLE':
        return ok('pull', `the cloud has records after cursor ${after}`);
      case 'FAILED':
        return wrong('pull', judged.message, `see ${judged.state} in agent/intake/README.md`);
      default:
        return judged satisfies never;
    }
  } catch (error) {
    if (!(error instanceof NoAnswerError || error instanceof OversizedAnswerError)) throw error;
    return wrong('pull', error.message, 'run the doctor for the relay on its own host');
  } finally {
    await upstream.close();
  }
}
