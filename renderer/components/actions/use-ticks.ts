import { useCallback, useMemo, useState } from 'react';
import { MOST_AT_ONCE } from '../../../shared/wire/console/console.ts';

/** The ticked rows of a list, as they are on screen now. */
export interface Ticks<T> {
  ticked: readonly T[];
  has: (id: string) => boolean;
  toggle: (item: T) => void;
  /** Ticks these too, up to the bulk limit. */
  add: (items: readonly T[]) => void;
  /** Whether there are rows to tick: none while a list is read for the first time. */
  isOffered: boolean;
  /** Whether all visible rows are ticked, up to the bulk limit. */
  isAll: boolean;
  toggleAll: () => void;
  clear: () => void;
}

interface Ticked<T> {
  list: string;
  items: ReadonlyMap<string, T>;
}

/**
 * Ticks of the rows of a list. Another list (filter, search) starts without ticks.
 *
 * @param onView the loaded rows, in their order
 * @param list identifies the list
 * @param isWhole whether a row that is not loaded has left the list; otherwise it was only scrolled away
 */
export function useTicks<T extends { id: string }>(onView: readonly T[], list: string, isWhole: boolean): Ticks<T> {
  const [kept, setKept] = useState<Ticked<T>>({ list, items: new Map() });
  const toggle = useCallback(
    (item: T) =>
      setKept((last) => {
        const items = new Map(last.list === list ? last.items : []);
        if (!items.delete(item.id) && items.size < MOST_AT_ONCE) items.set(item.id, item);
        return { list, items };
      }),
    [list],
  );
  return useMemo(() => {
    const before = kept.list === list ? kept.items : new Map<string, T>();
    const now = new Map(onView.map((item) => [item.id, item]));
    const ticked = [...before.values()].flatMap((item) => now.get(item.id) ?? (isWhole ? [] : [item]));
    const ids = new Set(ticked.map(({ id }) => id));
    const set = (items: readonly T[]): void =>
      setKept({ list, items: new Map(items.slice(0, MOST_AT_ONCE).map((item) => [item.id, item])) });
    const add = (items: readonly T[]): void => set([...ticked, ...items.filter(({ id }) => !ids.has(id))]);
    const offered = onView.slice(0, MOST_AT_ONCE);
    const isOffered = offered.length > 0;
    const isAll = isOffered && offered.every(({ id }) => ids.has(id));
    return {
      ticked,
      has: (id) => ids.has(id),
      toggle,
      add,
      isOffered,
      isAll,
      toggleAll: () => (isAll ? set([]) : add(offered)),
      clear: () => set([]),
    };
  }, [kept, onView, list, isWhole, toggle]);
}
