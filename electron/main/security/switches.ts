/** Chromium's own switches that would undo the program's protection of its pages. Pure. */

const OPENS = 'let any other program read the console’s sessions';
const BELIEVES = 'let a server without a trusted certificate stand in for the console';
const LEADS = 'lead the window to another server than the one that was chosen';
const RUNS = 'start other programs in the name of this one';
const WRITES = 'write the console’s sessions into a file';

/** The effect of each, to finish the sentence "it would …". */
const UNDOING: Readonly<Record<string, string>> = {
  'remote-debugging-port': OPENS,
  'remote-debugging-pipe': OPENS,
  'disable-web-security': OPENS,
  'load-extension': OPENS,
  'ignore-certificate-errors': BELIEVES,
  'ignore-certificate-errors-spki-list': BELIEVES,
  'host-resolver-rules': LEADS,
  'host-rules': LEADS,
  'renderer-cmd-prefix': RUNS,
  'utility-cmd-prefix': RUNS,
  'gpu-launcher': RUNS,
  'browser-subprocess-path': RUNS,
  'log-net-log': WRITES,
  'ssl-key-log-file': WRITES,
};

/** Thrown at start when the program was given such a switch. */
export class SwitchRefusedError extends Error {
  constructor(name: string) {
    super(`--${name} is not allowed: it would ${UNDOING[name]}. Start Causeway without it.`);
    this.name = 'SwitchRefusedError';
  }
}

/**
 * @param isGiven whether the program was started with a switch
 * @param allowed the switches by which tests drive the program
 * @throws SwitchRefusedError
 */
export function refuseSwitches(isGiven: (name: string) => boolean, allowed: ReadonlySet<string>): void {
  const found = Object.keys(UNDOING).find((name) => isGiven(name) && !allowed.has(name));
  if (found !== undefined) throw new SwitchRefusedError(found);
}
