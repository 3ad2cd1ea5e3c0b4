/** Cloud Sync: the state of the reception from the vendor's cloud (D17, D55). */
import { z } from 'zod';
import { syncHistory } from '../../../agent/ledger/inbox/sync-history.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import {
  SYNC_HISTORY_KINDS,
  type Page,
  type SyncHistoryItem,
  type SyncStatus,
} from '../../../shared/wire/console/console.ts';
import { pageOf } from '../../../shared/wire/console/common.ts';
import { syncHistoryItemSchema, syncStatusSchema } from '../../../shared/wire/console/sync.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOf, paging } from '../http/schemas.ts';

export const syncHandlers = {
  'GET /api/v1/sync/status': endpoint({
    summary: 'The state of the reception from the vendor',
    result: syncStatusSchema,
    handle: ({ context }): SyncStatus =>
      context.ledger.read((reader) => syncStatus(reader, context.clock.now(), context.writeLock.isHeld)),
  }),

  'GET /api/v1/sync/history': endpoint({
    summary: 'Bundles received, bodies in quarantine and changes of the state, page by page',
    query: z.strictObject({ ...paging, kind: listOf(SYNC_HISTORY_KINDS).default([...SYNC_HISTORY_KINDS]) }),
    result: pageOf(syncHistoryItemSchema),
    handle: ({ query, context }): Page<SyncHistoryItem> => {
      const { kind, page, size } = query;
      const { rows, total } = context.ledger.read((reader) => syncHistory(reader, [...new Set(kind)], { page, size }));
      return { items: rows, page, size, total };
    },
  }),
};
