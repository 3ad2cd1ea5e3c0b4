/** What a part that runs as a service may have, and the program that starts it; each side has a table of its own. */
export interface ServicePart {
  /** Its unit is `causeway-NAME`, its settings file `NAME.env`. */
  name: string;
  /** The command that installs it, and what it calls the part; empty where it has no other. */
  command: 'causeway-agent' | 'causeway-cloud';
  argument: string;
  /** The text that systemd shows. */
  about: string;
  /** The user that it runs as, and the name of its folder under /var/lib. */
  user: 'causeway' | 'causeway-relay' | 'causeway-cloud';
  /** When it runs (systemd.time); null: always. */
  schedule: string | null;
  /** `MemoryMax`, `TasksMax`, `LimitNOFILE`. */
  bounds: { memory: string; tasks: number; files: number };
  /** The first lines of its settings file; the rest is commented out. */
  settings: Readonly<Record<string, string>>;
  /** Variables that name a file in whose folder it must write, and those that name such a folder. */
  writes: readonly string[];
  writesIn: readonly string[];
}

/** The entry that starts a part. */
export interface Program {
  node: string;
  entry: string;
  args: readonly string[];
  /** The module that tells systemd how it goes, to be loaded before the entry. */
  notify: string;
  /** The variable that names the built pages of a console, and their folder where they lie beside the bundles. */
  pages: { variable: string; folder: string } | null;
}

/** A command about a part, as an administrator types it. */
export const commandFor = ({ command, argument }: ServicePart, words: string): string =>
  [command, words, argument].filter((word) => word !== '').join(' ');

export const settingsOnLinux = ({ name }: ServicePart): string => `/etc/causeway/${name}.env`;
