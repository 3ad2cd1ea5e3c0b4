/** The addresses of the cloud as the doctor sees them: who listens there, and whether that is a cloud that is ready. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { warn, ok, skipped, wrong, type Finding } from '../../shared/service/findings.ts';
import { checkListener, checkPagePort, ownHostOf } from '../../shared/service/listening.ts';
import type { ListenAddress } from '../../shared/service/variables.ts';
import { PRODUCT_VERSION } from '../../shared/wire/version.ts';

const NAMES = {
  CAUSEWAY_SYNC_LISTEN: 'bundle endpoint',
  CAUSEWAY_OPERATOR_LISTEN: 'operator API',
  CAUSEWAY_ENGINE_LISTEN: "engine's door",
} as const;
const PATIENCE_MS = 3_000;

type Listeners = Readonly<Record<keyof typeof NAMES | 'CAUSEWAY_CLOUD_METRICS_LISTEN', ListenAddress>>;

export async function checkListeners(config: Listeners): Promise<Finding[]> {
  const names = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const served = await Promise.all(
    names.map((name) => checkListener(`listener (${NAMES[name]})`, 'the cloud', config[name])),
  );
  const running = await checkReadiness(config.CAUSEWAY_CLOUD_METRICS_LISTEN);
  const isSilent = running.some(({ verdict, said }) => verdict === 'WARN' && said.startsWith(SILENT));
  return [
    ...served.map((finding) => (isSilent && finding.verdict === 'OK' ? takenBy(finding) : finding)),
    ...checkPagePort('listener (operator API)', config.CAUSEWAY_OPERATOR_LISTEN),
    ...running,
  ];
}

const SILENT = 'no answer from';

/** A port that is in use while no cloud answers: the cloud would not start. */
const takenBy = ({ about, said }: Finding): Finding =>
  wrong(about, `${said}, and it is no running cloud`, 'end that program, or take another port');

/** The running cloud's own account of itself. */
async function checkReadiness(address: ListenAddress): Promise<Finding[]> {
  const about = 'running cloud';
  if (address.port === 0)
    return [skipped(about, 'its metrics listener takes a free port: give CAUSEWAY_CLOUD_METRICS_LISTEN one to ask it')];
  const host = ownHostOf(address);
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  const health = await ask(`${base}/health`);
  if (health === null) return [warn(about, `${SILENT} ${base}`, 'start the cloud')];
  const findings: Finding[] = [];
  const version = health.result?.version;
  if (version !== undefined && version !== PRODUCT_VERSION) {
    const said = `it is Causeway ${version}, and installed is ${PRODUCT_VERSION}`;
    findings.push(warn(about, said, 'start it again'));
  }
  const ready = await ask(`${base}/ready`);
  findings.push(
    ready?.isSuccess === true
      ? ok(about, `Causeway ${version ?? '(version unknown)'}, ready`)
      : wrong(
          about,
          ready?.message ?? 'it does not say whether it is ready',
          'see its log, and what is said above of the store',
        ),
  );
  return findings;
}

interface HealthAnswer {
  isSuccess: boolean;
  message: string;
  result?: { version?: string };
}

async function ask(url: string): Promise<HealthAnswer | null> {
  try {
    // Not by fetch: it refuses ports that a listener may have.
    const asked = get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return JSON.parse(await text(answer)) as HealthAnswer;
  } catch {
    return null;
  }
}
