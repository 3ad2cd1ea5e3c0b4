/**
 * A publisher as a process of its own, for tests that kill or stop it: `URL KEY [hold]` publishes the load KEY and
 * prints its outcome. With `hold` it prints `holding` when it has the fan-out lock, and hangs there.
 */
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { AT } from '../../support/cloud/store.ts';

const [url, key, hold] = process.argv.slice(2);
if (url === undefined || key === undefined) throw new Error('URL KEY [hold]');
const store = await openPostgres(url, 1);
const outcome = await publish(store, read(live({ key })), AT, {
  onStep: async (step) => {
    if (hold === undefined || step !== 'fannedOut') return;
    console.log('holding');
    process.kill(process.pid, 'SIGSTOP');
    await new Promise(() => undefined);
  },
});
console.log(JSON.stringify(outcome));
await store.close();
