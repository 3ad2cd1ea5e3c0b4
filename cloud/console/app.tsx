import type { I18n } from '@lingui/core';
import type { ReactNode } from 'react';
import { systemClock } from '../../shared/time/clock.ts';
import { AppProviders } from '../../shared/ui/app/app-providers.tsx';
import { createRequester } from '../../shared/ui/http/request.ts';
import { createQueryClient } from '../../shared/ui/session/session-queries.ts';
import { createOperatorApi, SESSION_PATH } from './api/client.ts';
import { OperatorContext } from './api/operator-context.tsx';
import { createQueries } from './api/queries.ts';
import { OperatorFrame } from './frame/operator-frame.tsx';
import { SCREENS } from './frame/screens.ts';
import { RefreshProvider } from './live/refresh.tsx';
import { readOverviewFilter } from './screens/overview/overview-filter.ts';
import { OperatorGate } from './session/operator-gate.tsx';

const api = createOperatorApi(createRequester((input, init) => fetch(input, init), SESSION_PATH));
const services = { api, queries: createQueries(api) };
/** No event reports changes to this console, so every answer may soon be old. */
const FRESH_MS = 1_000;
const queryClient = createQueryClient({ staleTime: FRESH_MS });

// Requests session and first screen at once, before the first rendering: without a session both are refused. The
// component that uses an answer shows its error.
const ahead = (query: Promise<unknown>): void => void query.catch(() => undefined);
ahead(queryClient.query(services.queries.session));
if (location.pathname === '/' || location.pathname.startsWith(SCREENS[0].href))
  ahead(queryClient.query(services.queries.overview(readOverviewFilter(new URLSearchParams(location.search)).date)));

export function App({ i18n }: { i18n: I18n }): ReactNode {
  return (
    <AppProviders i18n={i18n} queryClient={queryClient} clock={systemClock}>
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
