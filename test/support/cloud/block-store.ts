/** A store for the tests of one file or one block of it. */
import { beforeAll } from 'vitest';
import type { Store } from '../../../cloud/store/open.ts';
import type { StoreKind } from './store.ts';

/** Opens a store of this kind before the first test and gives it to `take`; closes both after the last, and after what `afterAll` ends. */
export function provideStore(
  start: () => Promise<StoreKind>,
  take: (opened: { store: Store; url: string | null }) => void,
): void {
  beforeAll(async () => {
    const kind = await start();
    const opened = await kind.open();
    take(opened);
    return async () => {
      await opened.store.close();
      await kind.stop();
    };
  });
}
