/** The description of a run (D40): `run.json`, and the same as a table. */
import { renameSync, writeFileSync } from 'node:fs';

export interface RunFile {
  pid: number;
  tenantConsole: { url: string; accounts: { username: string; password: string; role: string }[] };
  operatorConsole: { url: string; account: { username: string; password: string } };
  /** What a customer of a channel sees. */
  channelPage: { url: string };
  /** `verifyKey`: the file of the public key that verifies the vendor's statements (D59). */
  sync: { url: string; ca: string; verifyKey: string; tenants: { tenantId: number; cert: string; key: string }[] };
  relay: { url: string };
  provision: { url: string; channels: { channel: string; key: string }[] };
  engine: { url: string; token: string };
}

/** Written completely or not at all, and readable only by its owner: it holds keys. */
export function writeRunFile(file: string, run: RunFile): void {
  writeSecret(file, `${JSON.stringify(run, null, 2)}\n`);
}

/** The same for any text that only its owner may read. */
export function writeSecret(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export function runTable(run: RunFile, file: string): string {
  const rows: [string, string, string][] = [
    ['Tenant console', run.tenantConsole.url, accounts(run.tenantConsole.accounts)],
    ['Operator console', run.operatorConsole.url, accounts([run.operatorConsole.account])],
    ['Channel page', run.channelPage.url, 'what a customer sees; a withdrawn text goes dark here'],
    ['Provision API', run.provision.url, `keys ${run.provision.channels.map((channel) => channel.key).join(', ')}`],
    ['Relay', run.relay.url, ''],
    [
      'Sync (mutual TLS)',
      run.sync.url,
      `certificates of tenant ${run.sync.tenants.map((tenant) => tenant.tenantId).join(', ')}: see run.json`,
    ],
    ["Engine's door", run.engine.url, 'token: see run.json'],
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return [
    '',
    ...rows.map((row) => `  ${row[0].padEnd(widths[0] ?? 0)}  ${row[1].padEnd(widths[1] ?? 0)}  ${row[2]}`.trimEnd()),
    '',
    `  All of it: ${file}`,
    '  Ctrl-C ends everything; the next start goes on where this one stopped.',
    '',
  ].join('\n');
}

function accounts(list: readonly { username: string; password: string }[]): string {
  const [first] = list;
  if (first === undefined) return '';
  return `log in as ${list.map((account) => account.username).join(', ')} with ${first.password}`;
}
