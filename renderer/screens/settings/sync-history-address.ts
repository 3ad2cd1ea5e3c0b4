/** The history of the reception as an address: all of it, or one kind. */
import { SYNC_HISTORY_KINDS, type SyncHistoryKind } from '../../../shared/wire/console/console.ts';

export function syncHistoryHref(kind?: SyncHistoryKind): string {
  return `/settings/sync${kind === undefined ? '' : `?kind=${kind}`}`;
}

/** Reads the address; an unknown kind shows all. */
export function historyKindOf(search: string): SyncHistoryKind | null {
  const kind = new URLSearchParams(search).get('kind');
  return SYNC_HISTORY_KINDS.find((one) => one === kind) ?? null;
}
