import type { ReactNode } from 'react';
import { systemClock } from '../../shared/time/clock.ts';
import { AppProviders } from '../../shared/ui/app-providers.tsx';
import { createRequester } from '../../shared/ui/http/request.ts';
import { createQueryClient } from '../../shared/ui/session/session-queries.ts';
import { createOperatorApi } from './api/client.ts';
import { OperatorContext } from './api/operator-context.tsx';
import { createQueries } from './api/queries.ts';
import { OperatorFrame } from './frame/operator-frame.tsx';
import { catalogues } from './i18n/catalogues.ts';
import { RefreshProvider } from './live/refresh.tsx';
import { OperatorGate } from './session/operator-gate.tsx';

const api = createOperatorApi(createRequester((input, init) => fetch(input, init)));
const services = { api, queries: createQueries(api) };
// Nothing tells this console that something has changed, so whatever it has read may be old at once.
const queryClient = createQueryClient({ staleTime: 0 });

export function App(): ReactNode {
  return (
    <AppProviders catalogues={catalogues} queryClient={queryClient} clock={systemClock}>
      <OperatorContext value={services}>
        <OperatorGate>
          <RefreshProvider>
            <OperatorFrame />
          </RefreshProvider>
        </OperatorGate>
      </OperatorContext>
    </AppProviders>
  );
}
