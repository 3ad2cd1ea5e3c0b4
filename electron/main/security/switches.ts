/**
 * The arguments that may stand on the program's command line. Chromium has some two thousand switches, and among them are
 * ways to lead the window to another server, to show a false console, or to read its sessions: what is not listed here is
 * refused. Pure.
 */

/** Each with its reader: a person, a desktop, or the installer. */
const ALLOWED: readonly string[] = [
  'help',
  // The installer starts an updated program with it.
  'updated',
  // Broken drivers, dense screens, screen readers, Wayland, and a language other than the desktop's.
  'disable-gpu',
  'force-device-scale-factor',
  'force-renderer-accessibility',
  'ozone-platform',
  'lang',
];
/** By which Playwright drives the test build. */
const DRIVING: readonly string[] = ['inspect', 'remote-debugging-port', 'remote-debugging-pipe'];

/** Thrown at start when the program was given another switch. */
export class SwitchRefusedError extends Error {
  constructor(name: string) {
    const allowed = ALLOWED.map((one) => `--${one}`).join(', ');
    super(
      `--${name} is not allowed: a switch of the browser inside could lead the window to another server or open its pages to other programs. Start Causeway without it; ${allowed} may be given.`,
    );
    this.name = 'SwitchRefusedError';
  }
}

/**
 * @param args the command line after the program's name
 * @param isTest the test build, which a test may drive
 * @param isRoot whom Chromium cannot sandbox: it starts only with `--no-sandbox`
 * @throws SwitchRefusedError
 */
export function refuseSwitches(
  args: readonly string[],
  { platform, isTest, isRoot }: { platform: NodeJS.Platform; isTest: boolean; isRoot: boolean },
): void {
  const allowed = new Set([...ALLOWED, ...(isTest ? DRIVING : []), ...(isRoot ? ['no-sandbox'] : [])]);
  for (const arg of args) {
    const name = switchIn(arg, platform);
    if (name !== null && !allowed.has(name)) throw new SwitchRefusedError(name);
  }
}

/** The name of a switch as Chromium reads it, with one hyphen or two, and on Windows in any case and after a slash. */
function switchIn(arg: string, platform: NodeJS.Platform): string | null {
  const prefix = platform === 'win32' ? /^(?:--?|\/)(?<name>[^=]+)/ : /^--?(?<name>[^=]+)/;
  const name = prefix.exec(arg.trim())?.groups?.['name'];
  // Two hyphens alone end the switches, and name none.
  if (name === undefined || name === '-') return null;
  return platform === 'win32' ? name.toLowerCase() : name;
}
