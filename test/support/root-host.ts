/**
 * For tests that run as root: a separate host with the services' users, in a mount namespace whose writes to /etc,
 * /opt, /var/lib and /mnt go to memory and are dropped with it. The commands are the real ones, at their real paths.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleServices } from '../../electron/packaging/build/bundle.ts';
import { waitFor } from './process.ts';

const SERVICES = '/opt/causeway/services';
/** Compiled code of the programs, writable for every user: most commands run for half a second without it. */
const COMPILED = '/mnt/compiled';
/** `causeway-agent` of the host. */
export const AGENT = ['/opt/causeway/node/node', `${SERVICES}/causeway-agent.js`];
const SET_UP = `set -e
mount -t tmpfs tmpfs /mnt
install -d -m 1777 /mnt/compiled
for place in etc opt var/lib; do
  mkdir -p /mnt/.$place/upper /mnt/.$place/work
  mount -t overlay overlay -o lowerdir=/$place,upperdir=/mnt/.$place/upper,workdir=/mnt/.$place/work /$place
done
printf 'u causeway - "Causeway" /var/lib/causeway\\nu causeway-relay - "Causeway" /var/lib/causeway-relay\\n' | systemd-sysusers -
echo ready
exec sleep infinity
`;

export interface Said {
  code: number;
  out: string;
}

/** Why such a host is unavailable here; null: available. */
export function hindrance(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'this needs root';
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', SET_UP.replace('exec sleep infinity', '')]);
  return status === 0 ? null : 'this needs a mount namespace and systemd-sysusers';
}

export class TestHost {
  readonly #holder: ChildProcess;
  readonly #bin: string;

  private constructor(holder: ChildProcess, bin: string) {
    this.#holder = holder;
    this.#bin = bin;
  }

  /** @param folder for programs in place of systemd's */
  static async start(folder: string): Promise<TestHost> {
    const holder = spawn('unshare', ['--mount', 'sh', '-c', SET_UP], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    holder.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await waitFor('a host of its own', () => said.includes('ready'));
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    for (const name of ['systemctl', 'journalctl']) {
      writeFileSync(path.join(bin, name), `#!/bin/sh\necho "${name} $*"\n`);
      chmodSync(path.join(bin, name), 0o755);
    }
    chmodSync(folder, 0o755);
    const host = new TestHost(holder, bin);
    const bundles = path.join(folder, 'services');
    await bundleServices(bundles);
    cpSync(bundles, host.at(SERVICES), { recursive: true });
    cpSync(process.execPath, host.at(AGENT[0] ?? ''));
    return host;
  }

  end(): void {
    this.#holder.kill('SIGKILL');
  }

  /** A file of the host, for this process. */
  at(file: string): string {
    return path.join(`/proc/${this.#holder.pid}/root`, file);
  }

  /** `causeway-agent`, as root types it. */
  agent(...args: string[]): Promise<Said> {
    return this.run([...AGENT, ...args]);
  }

  shell(script: string, user = 'root'): Promise<Said> {
    return this.run(['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', 'sh', '-ec', script]);
  }

  /** A process on the host that runs until its `kill`. */
  spawn(command: readonly string[], variables: Readonly<Record<string, string>> = {}): ChildProcess {
    const env = { NODE_COMPILE_CACHE: COMPILED, ...variables, PATH: `${this.#bin}:${process.env['PATH'] ?? ''}` };
    const all = ['--target', String(this.#holder.pid), '--mount', '--', ...command];
    return spawn('nsenter', all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  run(command: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Said> {
    return new Promise((resolve, reject) => {
      const child = this.spawn(command, variables);
      let out = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, out }));
    });
  }

  /** Everything below a folder: owner, mode and content. */
  contentsOf(folder: string): Record<string, string> {
    const seen: Record<string, string> = {};
    const walk = (place: string): void => {
      const stat = lstatSync(this.at(place));
      const held = stat.isFile() ? readFileSync(this.at(place), 'utf8') : '';
      seen[place] = `${stat.uid}:${stat.gid} ${stat.mode.toString(8)} ${held}`;
      if (stat.isDirectory()) for (const name of readdirSync(this.at(place))) walk(path.join(place, name));
    };
    if (existsSync(this.at(folder))) walk(folder);
    return seen;
  }
}
