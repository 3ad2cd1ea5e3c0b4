/** The parts that run as services on the tenant's side, and the rights of each. */
import path from 'node:path';

export const PART_NAMES = ['relay', 'intake', 'provision', 'console-api', 'backup'] as const;
export type PartName = (typeof PART_NAMES)[number];

export interface ServicePart {
  /** The text that systemd shows. */
  about: string;
  /** The user that it runs as, and the name of its folder under /var/lib. */
  user: 'causeway' | 'causeway-relay';
  /** Entry in a checkout, from the project's folder; in a package it is called as its bundle. */
  source: string;
  bundle: string;
  /** The arguments of its command line. */
  args: readonly string[];
  /** Whether the part's `--check` validates its settings. */
  checksItself: boolean;
  /** When it runs (systemd.time); null: always. */
  schedule: string | null;
  /** `MemoryMax`, `TasksMax`, `LimitNOFILE`. */
  bounds: { memory: string; tasks: number; files: number };
  /** The first lines of its settings file; the rest is commented out. */
  settings: Readonly<Record<string, string>>;
  /** Variables that name a file in a folder that it must write, and those that name such a folder. */
  writes: readonly string[];
  writesIn: readonly string[];
}

const RELAY_PKI = '/var/lib/causeway-relay/pki';
const LEDGER = { CAUSEWAY_LEDGER: '/var/lib/causeway/ledger.sqlite' };

const ALWAYS = { args: [], checksItself: false, schedule: null };

export const PARTS: Readonly<Record<PartName, ServicePart>> = {
  relay: {
    about: 'Causeway relay (passes pulls on to the cloud)',
    user: 'causeway-relay',
    source: 'agent/relay/main.ts',
    bundle: 'relay',
    ...ALWAYS,
    bounds: { memory: '512M', tasks: 64, files: 4096 },
    settings: {
      CAUSEWAY_RELAY_CERT: `${RELAY_PKI}/relay.crt`,
      CAUSEWAY_RELAY_KEY: `${RELAY_PKI}/relay.key`,
      // Trusted files lie where the relay's own user cannot change them.
      CAUSEWAY_RELAY_CA: '/etc/causeway/cloud-ca.crt',
    },
    // A certificate that the console replaces lies in the place of the first one.
    writes: ['CAUSEWAY_RELAY_CERT', 'CAUSEWAY_RELAY_KEY'],
    writesIn: [],
  },
  intake: {
    about: 'Causeway Intake (receives bundles into the ledger)',
    user: 'causeway',
    source: 'agent/intake/main.ts',
    bundle: 'intake',
    ...ALWAYS,
    bounds: { memory: '2G', tasks: 64, files: 4096 },
    settings: LEDGER,
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: [],
  },
  provision: {
    about: 'Causeway provision API (gives channels what may be shown)',
    user: 'causeway',
    source: 'agent/provision/main.ts',
    bundle: 'provision',
    ...ALWAYS,
    bounds: { memory: '1G', tasks: 64, files: 16_384 },
    settings: LEDGER,
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: [],
  },
  'console-api': {
    about: 'Causeway console API (serves the tenant console)',
    user: 'causeway',
    source: 'electron/console-api/main.ts',
    bundle: 'console-api',
    ...ALWAYS,
    checksItself: true,
    bounds: { memory: '2G', tasks: 64, files: 16_384 },
    settings: LEDGER,
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: ['CAUSEWAY_CHECKPOINT_FOLDER', 'CAUSEWAY_DECISION_JOURNAL'],
  },
  backup: {
    about: 'Causeway backup (copies the ledger and verifies the copy)',
    user: 'causeway',
    source: 'agent/intake/main.ts',
    bundle: 'intake',
    args: ['backups'],
    checksItself: false,
    schedule: '*-*-* 03:30:00 Asia/Seoul',
    bounds: { memory: '2G', tasks: 64, files: 1024 },
    settings: { ...LEDGER, CAUSEWAY_BACKUP_FOLDER: '/var/lib/causeway/backups' },
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: ['CAUSEWAY_BACKUP_FOLDER'],
  },
};

/** The entry that starts a part. */
export interface Program {
  node: string;
  entry: string;
  args: readonly string[];
  /** The module that reports readiness to systemd, loaded before the entry. */
  notify: string;
  /** The built pages of the console, where they lie beside the bundles. */
  pages: string | null;
}

/**
 * The program of a part: beside this command in a package, in its own folder in a checkout. @param own the file of the
 * running command
 */
export function programOf(part: PartName, own: string): Program {
  const node = process.execPath;
  const { source, bundle, args } = PARTS[part];
  if (own.endsWith('.ts')) {
    const folder = path.dirname(own);
    const entry = path.join(path.resolve(folder, '../..'), source);
    return { node, entry, args, notify: path.join(folder, 'notify.ts'), pages: null };
  }
  const services = path.dirname(own);
  const pages = part === 'console-api' ? path.join(services, '..', 'renderer') : null;
  return { node, entry: path.join(services, `${bundle}.js`), args, notify: path.join(services, 'notify.js'), pages };
}
