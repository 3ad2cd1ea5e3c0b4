/** The parts that run as services on the tenant's side, and the rights of each. */
import path from 'node:path';
import { SMALL_NURSERY, type Program, type ServicePart } from '../../../shared/service/install/part.ts';

export const PART_NAMES = ['relay', 'intake', 'provision', 'console-api', 'backup'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** A part of the tenant. */
export interface TenantPart extends ServicePart {
  name: PartName;
  /** Entry in a checkout, from the project's folder; in a package it is called as its bundle. */
  source: string;
  bundle: string;
  /** The arguments of its command line. */
  args: readonly string[];
  /** Whether the part's `--check` validates its settings. */
  checksItself: boolean;
}

const RELAY_PKI = '/var/lib/causeway-relay/pki';
const LEDGER = { CAUSEWAY_LEDGER: '/var/lib/causeway/ledger.sqlite' };

const named = <N extends PartName>(name: N) => ({ name, command: 'causeway-agent' as const, argument: name });
const ALWAYS = { args: [], checksItself: false, schedule: null };

export const PARTS: Readonly<Record<PartName, TenantPart>> = {
  relay: {
    ...named('relay'),
    about: 'Causeway relay (passes pulls on to the cloud)',
    user: 'causeway-relay',
    source: 'agent/relay/main.ts',
    bundle: 'relay',
    ...ALWAYS,
    bounds: { memory: '512M', tasks: 64, files: 4096 },
    flags: [],
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
    ...named('intake'),
    about: 'Causeway Intake (receives bundles into the ledger)',
    user: 'causeway',
    source: 'agent/intake/main.ts',
    bundle: 'intake',
    ...ALWAYS,
    bounds: { memory: '2G', tasks: 64, files: 4096 },
    flags: [],
    settings: LEDGER,
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: [],
  },
  provision: {
    ...named('provision'),
    about: 'Causeway provision API (gives channels what may be shown)',
    user: 'causeway',
    source: 'agent/provision/main.ts',
    bundle: 'provision',
    ...ALWAYS,
    bounds: { memory: '1G', tasks: 64, files: 16_384 },
    flags: [SMALL_NURSERY],
    settings: LEDGER,
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: [],
  },
  'console-api': {
    ...named('console-api'),
    about: 'Causeway console API (serves the tenant console)',
    user: 'causeway',
    source: 'electron/console-api/main.ts',
    bundle: 'console-api',
    ...ALWAYS,
    checksItself: true,
    bounds: { memory: '2G', tasks: 64, files: 16_384 },
    flags: [SMALL_NURSERY],
    settings: LEDGER,
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: ['CAUSEWAY_CHECKPOINT_FOLDER', 'CAUSEWAY_DECISION_JOURNAL'],
  },
  backup: {
    ...named('backup'),
    about: 'Causeway backup (copies the ledger and verifies the copy)',
    user: 'causeway',
    source: 'agent/intake/main.ts',
    bundle: 'intake',
    args: ['backups'],
    checksItself: false,
    schedule: '*-*-* 03:30:00 Asia/Seoul',
    bounds: { memory: '2G', tasks: 64, files: 1024 },
    flags: [],
    settings: { ...LEDGER, CAUSEWAY_BACKUP_FOLDER: '/var/lib/causeway/backups' },
    writes: ['CAUSEWAY_LEDGER'],
    writesIn: ['CAUSEWAY_BACKUP_FOLDER'],
  },
};

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
    return {
      node,
      entry,
      args,
      notify: path.join(path.resolve(folder, '../..'), 'shared/service/install/notify.ts'),
      pages: null,
    };
  }
  const services = path.dirname(own);
  const pages =
    part === 'console-api'
      ? { variable: 'CAUSEWAY_CONSOLE_PAGES', folder: path.join(services, '..', 'renderer') }
      : null;
  return { node, entry: path.join(services, `${bundle}.js`), args, notify: path.join(services, 'notify.js'), pages };
}
