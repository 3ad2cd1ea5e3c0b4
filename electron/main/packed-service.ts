/** Where the console API and its Node lie in the packed program, and what it runs with. Pure. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceCommand } from './console-service.ts';

/** Of the program's own environment the service gets these and every `CAUSEWAY_` one, nothing else. */
const PASSED_ON = new Set([
  'HOME',
  'LANG',
  'LC_ALL',
  'PATH',
  'TMPDIR',
  'TZ',
  'APPDATA',
  'LOCALAPPDATA',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERPROFILE',
]);

/**
 * The command that starts the packed console API.
 * @param resources the packed program's folder of resources
 * @param data the program's own data folder; the ledger lies there unless another file is named
 */
export function serviceCommand(
  resources: string,
  data: string,
  ledger: string | undefined,
  env: Record<string, string | undefined>,
): ServiceCommand {
  const services = join(resources, 'services');
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (name.startsWith('CAUSEWAY_') || PASSED_ON.has(name.toUpperCase())))
      passed[name] = value;
  }
  delete passed['CAUSEWAY_CONSOLE_URL'];
  return {
    node: process.platform === 'win32' ? join(resources, 'node', 'node.exe') : join(resources, 'node', 'node'),
    endWithParent: pathToFileURL(join(services, 'end-with-parent.js')).href,
    entry: join(services, 'console-api.js'),
    env: {
      ...passed,
      CAUSEWAY_LEDGER: ledger ?? join(data, 'ledger.db'),
      CAUSEWAY_CONSOLE_FRONT: join(resources, 'renderer'),
      // Compiled code is kept between starts, so that the service is up sooner.
      NODE_COMPILE_CACHE: join(data, 'compile-cache'),
    },
  };
}
