/** How the reception from the vendor's cloud goes (D17, D55). */
import { syncStatus } from '../../agent/ledger/sync-state.ts';
import type { SyncStatus } from '../../shared/wire/console.ts';
import { syncStatusSchema } from '../../shared/wire/console/sync.ts';
import { endpoint } from './endpoint.ts';

export const syncHandlers = {
  'GET /api/v1/sync/status': endpoint({
    summary: 'How the reception from the vendor goes',
    result: syncStatusSchema,
    handle: ({ context }): SyncStatus => context.ledger.read((reader) => syncStatus(reader)),
  }),
};
