/** Opens the store that the configuration names and brings it up to date. */
import { storeFolder, type StoreConfig } from '../../config/config.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './index.ts';
import { ConnectionLostError } from '../errors.ts';
import { openEmbedded, openPostgres, unavailable, type Store } from '../open.ts';

/**
 * @param told called with the schema versions that were applied now, if any
 * @throws StoreInUseError, StoreUnavailableError, StoreTooNewError, MigrationFailedError
 */
export async function prepareStore(
  config: StoreConfig,
  clock: Clock,
  told: (applied: readonly number[]) => void = () => undefined,
): Promise<Store> {
  const url = config.CAUSEWAY_DATABASE_URL;
  const store =
    url === undefined
      ? await openEmbedded(storeFolder(config.CAUSEWAY_HOME))
      : await openPostgres(url, config.CAUSEWAY_DATABASE_CONNECTIONS);
  try {
    const applied = await migrate(store, MIGRATIONS, clock.now());
    if (applied.length > 0) told(applied);
  } catch (error) {
    await store.close();
    throw error instanceof ConnectionLostError ? unavailable(error) : error;
  }
  return store;
}
