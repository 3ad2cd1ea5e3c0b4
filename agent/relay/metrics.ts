/** The status in Prometheus format. Written here, because a library for it would double the relay's memory. */
import type { RelayStatus } from '../../shared/wire/relay.ts';

export function metricsOf(status: RelayStatus): string {
  const seconds = (at: string | null | undefined): number =>
    at === null || at === undefined ? 0 : Date.parse(at) / 1_000;
  const { certificate, certificateProblem, lastAnswer, lastFailure, counts } = status;
  const lines: string[] = [];
  const tell = (name: string, type: 'gauge' | 'counter', help: string, value: number): void =>
    void lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`);
  lines.push(
    '# HELP causeway_relay_info Always 1; the version of the program.',
    '# TYPE causeway_relay_info gauge',
    `causeway_relay_info{version="${status.version}"} 1`,
  );
  for (const [name, value] of Object.entries<number>({ ...counts }))
    tell(`causeway_relay_${snake(name)}_total`, 'counter', `Counted since the start: ${name}.`, value);
  tell('causeway_relay_started_seconds', 'gauge', 'When it started, Unix time.', seconds(status.startedAt));
  tell(
    'causeway_relay_last_answer_seconds',
    'gauge',
    'When a pull last got a whole answer, Unix time; 0: never.',
    seconds(lastAnswer?.at),
  );
  tell(
    'causeway_relay_last_failure_seconds',
    'gauge',
    'When a pull last got no whole answer, Unix time; 0: never.',
    seconds(lastFailure?.at),
  );
  tell(
    'causeway_relay_certificate_end_seconds',
    'gauge',
    'When the certificate for the cloud ends, Unix time.',
    seconds(certificate.validTo),
  );
  tell(
    'causeway_relay_certificate_unfit',
    'gauge',
    '1 while its changed files are not in use.',
    certificateProblem === null ? 0 : 1,
  );
  return `${lines.join('\n')}\n`;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
