/** The doctor's checks of the relay. Opens no ledger: the DMZ package contains it too. */
import { systemClock } from '../../../shared/time/clock.ts';
import { readCredentials, type Credentials } from '../../relay/credentials.ts';
import type { CredentialFiles } from '../../relay/pair-files.ts';
import { CredentialError, UnfitCertificateError } from '../../relay/errors.ts';
import { checkNewPair } from '../../relay/new-certificate.ts';
import { readSettings, RELAY_VARIABLES, type Settings } from '../../relay/settings.ts';
import { probeCloud } from '../../relay/probe.ts';
import { Upstream } from '../../relay/upstream.ts';
import { checkListener } from '../../../shared/service/listening.ts';
import { CORRECT_SETTINGS, type CheckContext } from './doctor.ts';
import { examine, ok, skipped, validSettings, wrong, type Finding } from '../../../shared/service/findings.ts';
import { checkSecretFiles } from '../../../shared/service/secret-findings.ts';
import { checkAuthorities, checkNamedFile, checkValidity } from './check-files.ts';
import { checkClock, checkProxy, checkUpstream } from './check-network.ts';
import { checkOwnCertificate, checkOwnVersion } from './check-version.ts';

const CLOUD = 'the cloud';

export const checkRelay = ({ env, account, now }: CheckContext): Promise<Finding[]> =>
  examine(() => readSettings(env), CORRECT_SETTINGS, [
    validSettings,
    () => checkSecretFiles(RELAY_VARIABLES, env),
    (settings) => checkWays(settings, { account, now }),
  ]);

/** The certificates, the connection with the cloud, and the listener. */
async function checkWays(
  settings: Settings,
  { account, now }: Pick<CheckContext, 'account' | 'now'>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const warn = async (files: CredentialFiles, what: string): Promise<Credentials | null> => {
    const seen = [files.cert, files.key, files.ca].flatMap(({ variable, path }) =>
      checkNamedFile({ variable, file: path, secret: variable.endsWith('_KEY') }, account),
    );
    findings.push(...seen);
    if (seen.some(({ said }) => said.startsWith('there is no'))) return null;
    try {
      const credentials = await readCredentials(files);
      findings.push(
        checkValidity(what, credentials.cert, now()),
        ...checkAuthorities(files.ca.variable, credentials.ca, now()),
      );
      return credentials;
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      findings.push(wrong(what, error.message, 'put the right files in their places; the relay takes them by itself'));
      return null;
    }
  };
  const outward = await warn(settings.outward, 'certificate for the cloud');
  const inward = settings.inward === null ? null : await warn(settings.inward, 'certificate for the Intake');
  if (outward === null) findings.push(skipped('connection', 'not tried without a certificate'));
  else findings.push(...checkKeyUsage(outward, now()), ...(await checkCloud(settings, outward, now)));
  findings.push(await checkListener('listener', 'the relay', settings.listen));
  if (settings.inward === null) findings.push(...(await checkOwnVersion('relay', settings.listen)));
  else if (inward !== null) findings.push(...(await checkOwnCertificate('relay', inward.cert, settings.listen)));
  return findings;
}

/** Checks the allowed uses of the certificate; its dates are checked elsewhere. */
function checkKeyUsage(pair: Credentials, now: Date): Finding[] {
  try {
    checkNewPair(pair, now);
    return [];
  } catch (error) {
    if (!(error instanceof UnfitCertificateError)) throw error;
    const isDate = /expired|not valid before/.test(error.message);
    return isDate ? [] : [wrong('certificate for the cloud', error.message, 'ask the vendor for a client certificate')];
  }
}

async function checkCloud(settings: Settings, { cert, key, ca }: Credentials, now: () => Date): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (settings.proxy === null) {
    const reached = await checkUpstream(CLOUD, settings.upstream, { cert, key, ca }, now);
    findings.push(...reached.findings);
    if (!reached.answered) return findings;
  } else {
    const proxy = await checkProxy(settings.proxy.address);
    findings.push(proxy);
    if (proxy.verdict === 'WRONG') return findings;
    findings.push(
      skipped('connection', `pulls go through the proxy: name and certificate of ${CLOUD} are not checked`),
    );
  }
  const upstream = new Upstream(settings.upstream, { cert, key, ca }, settings.bounds, settings.proxy);
  try {
    const { outcome, message } = await probeCloud(upstream, systemClock, ({ date }) => {
      if (settings.proxy !== null) findings.push(checkClock(CLOUD, date, now()));
    });
    findings.push(
      outcome === 'ACCEPTED'
        ? ok('cloud', message)
        : wrong(
            'cloud',
            message,
            outcome === 'REFUSED'
              ? 'tell the vendor the fingerprint of this certificate: it is revoked or not registered'
              : 'look again later; if it stays, tell the vendor',
          ),
    );
  } finally {
    upstream.destroy();
  }
  return findings;
}
