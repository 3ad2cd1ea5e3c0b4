/** What every screen of both consoles stands in: language, theme, data, clock, notices. */
import './theme/styles.ts';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { I18nProvider } from '@lingui/react';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { Clock } from '../time/clock.ts';
import { activate, createI18n, type Catalogues } from './i18n/catalogue.ts';
import { SCHEME_KEY, useLanguagePreference } from './preferences.ts';
import { NoticeProvider } from './parts/notices.tsx';
import { theme } from './theme/theme.ts';
import { useLightPrint } from './theme/use-light-print.ts';
import { ClockContext } from './time/use-now.ts';

const schemeManager = localStorageColorSchemeManager({ key: SCHEME_KEY });

export interface AppProvidersProps {
  /** The messages of this console together with the shared ones (`mergeCatalogues`). */
  catalogues: Catalogues;
  queryClient: QueryClient;
  clock: Clock;
  children: ReactNode;
}

export function AppProviders({ catalogues, queryClient, clock, children }: AppProvidersProps): ReactNode {
  const [language] = useLanguagePreference();
  useLightPrint();
  const [i18n] = useState(() => createI18n(catalogues, language));
  useEffect(() => {
    activate(i18n, catalogues, language);
    document.documentElement.lang = language;
  }, [i18n, catalogues, language]);
  return (
    <ClockContext value={clock}>
      <QueryClientProvider client={queryClient}>
        <I18nProvider i18n={i18n}>
          {/* No style sheet is written at run time: `variables.css` stands in for Mantine's own (theme-css.ts). */}
          <MantineProvider
            theme={theme}
            defaultColorScheme="auto"
            colorSchemeManager={schemeManager}
            withCssVariables={false}
            withGlobalClasses={false}
          >
            <NoticeProvider>{children}</NoticeProvider>
          </MantineProvider>
        </I18nProvider>
      </QueryClientProvider>
    </ClockContext>
  );
}
