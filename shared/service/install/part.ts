/**
 * Bounds the engine's space for young objects. Without it that space grows with each burst of requests to three times 16
 * or 32 MB, and stays; with it a request costs the same processor time (`test/bench/README.md`).
 */
export const SMALL_NURSERY = '--max-semi-space-size=4';

/**
 * Variables that every unit sets. The C library would keep what a thread once allocated, the 19 MB of each check of a
 * password or a backlog of large bundles; it returns what lies above this many bytes.
 */
export const UNIT_VARIABLES = { MALLOC_TRIM_THRESHOLD_: '131072' } as const;

/** A part that runs as a service, and the program that starts it; each side has its own table of parts. */
export interface ServicePart {
  /** Its unit is `causeway-NAME`, its settings file `NAME.env`. */
  name: string;
  /** The command that installs the part, and the part's name there; empty for a command with a single part. */
  command: 'causeway-agent' | 'causeway-cloud';
  argument: string;
  /** The text that systemd shows. */
  about: string;
  /** The user of the service, and its folder under /var/lib. */
  user: 'causeway' | 'causeway-relay' | 'causeway-cloud';
  /** When the part runs (systemd.time); null: always. */
  schedule: string | null;
  /** `MemoryMax`, `TasksMax`, `LimitNOFILE`. */
  bounds: { memory: string; tasks: number; files: number };
  /** Of Node itself. */
  flags: readonly string[];
  /** The first lines of its settings file; the rest is commented out. */
  settings: Readonly<Record<string, string>>;
  /** Variables with a file in whose folder the part writes, and variables with such a folder. */
  writes: readonly string[];
  writesIn: readonly string[];
}

/** The entry that starts a part. */
export interface Program {
  node: string;
  entry: string;
  args: readonly string[];
  /** The module that reports readiness to systemd, loaded before the entry. */
  notify: string;
  /** The variable for a console's built pages, and their folder beside the bundles. */
  pages: { variable: string; folder: string } | null;
}

/** A command about a part, as an administrator types it. */
export const commandFor = ({ command, argument }: ServicePart, words: string): string =>
  [command, words, argument].filter((word) => word !== '').join(' ');

export const settingsOnLinux = ({ name }: ServicePart): string => `/etc/causeway/${name}.env`;
