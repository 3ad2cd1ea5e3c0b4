import type { SyncStatus } from '../../../shared/wire/console/console.ts';

/**
 * How many records the tenant is behind; null while the head is unknown. A head below the cursor is no lag but a fault
 * of its own (D31).
 */
export function lagOf({ head, committedCursor }: Pick<SyncStatus, 'head' | 'committedCursor'>): number | null {
  return head === null ? null : Math.max(0, head - committedCursor);
}
