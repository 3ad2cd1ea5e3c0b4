/** A whole console API of its own for tests: on a free port, with the real clock, and without all that is optional. */
import path from 'node:path';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { startConsoleApi, type ConsoleApiService, type ServiceOptions } from '../../../electron/console-api/service.ts';
import { LIMITS } from './console.ts';

export function startService(
  options: Pick<ServiceOptions, 'ledger'> & Partial<ServiceOptions>,
): Promise<ConsoleApiService> {
  return startConsoleApi({
    ...{ listen: { host: '127.0.0.1', port: 0 }, metricsListen: null, demo: false, limits: LIMITS },
    ...{ relay: null, checkpoints: null, sso: null, pages: path.join(path.dirname(options.ledger), 'pages') },
    ...{ clock: systemClock, ids: systemIds, log: false },
    ...options,
  });
}
