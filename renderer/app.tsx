import type { I18n } from '@lingui/core';
import type { ReactNode } from 'react';
import { AppProviders } from '../shared/ui/app/app-providers.tsx';
import { systemClock } from '../shared/time/clock.ts';
import { createDownloader, createRequester } from '../shared/ui/http/request.ts';
import { createQueryClient } from '../shared/ui/session/session-queries.ts';
import { readDemo } from '../shared/ui/session/page-data.ts';
import { createConsoleApi, SESSION_PATH } from './api/client.ts';
import { ConsoleContext } from './api/console-context.tsx';
import { Presence } from './api/presence.ts';
import { createQueries } from './api/queries.ts';
import { ConsoleFrame } from './app/frame/console-frame.tsx';
import { LiveProvider } from './api/live-provider.tsx';
import { ProgramLock } from './desktop/program-lock.ts';
import { ProgramLooks } from './desktop/program-looks.ts';
import { SessionGate } from './app/session/session-gate.tsx';
import { createSignIn } from './api/sign-in.ts';
import { OWN_VERSIONS } from '../shared/wire/version.ts';
import { onTour } from './tour/steps.ts';
import { VersionGate } from './app/version/version-gate.tsx';
import { VersionWatch } from './app/version/version-watch.ts';

const presence = new Presence(systemClock, window);
const versions = new VersionWatch(OWN_VERSIONS);
const demo = readDemo(document);
const watched = versions.watching(presence.marking((input, init) => fetch(input, init)));
const ask = onTour(watched, demo?.tour);
const api = createConsoleApi(createRequester(ask, SESSION_PATH), createDownloader(ask));
const signIn = createSignIn(api, window);
const services = { api, signIn, versions, demo, queries: createQueries(api, signIn) };
// Events report changes; without an event, cached data is current.
const queryClient = createQueryClient({ staleTime: 60_000 });

export function App({ i18n }: { i18n: I18n }): ReactNode {
  return (
    <AppProviders i18n={i18n} queryClient={queryClient} clock={systemClock}>
      <ProgramLooks />
      <ConsoleContext value={services}>
        <ProgramLock />
        <VersionGate versions={versions}>
          <SessionGate>
            <LiveProvider>
              <ConsoleFrame />
            </LiveProvider>
          </SessionGate>
        </VersionGate>
      </ConsoleContext>
    </AppProviders>
  );
}
