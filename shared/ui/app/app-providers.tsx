/** The providers around every screen of both consoles: language, theme, data, clock, notices. */
import '../theme/styles.ts';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { I18nProvider } from '@lingui/react';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { I18n } from '@lingui/core';
import { useEffect, type ReactNode } from 'react';
import type { Clock } from '../../time/clock.ts';
import { show, wordsOf } from '../i18n/active-language.ts';
import { PressGuarded } from '../keys/takes-keys.tsx';
import { SCHEME_KEY, useLanguagePreference } from '../theme/preferences.ts';
import { NoticeProvider } from '../parts/notices.tsx';
import { theme } from '../theme/theme.ts';
import { useLightPrint } from '../theme/use-light-print.ts';
import { ClockContext } from '../time/use-now.ts';

const schemeManager = localStorageColorSchemeManager({ key: SCHEME_KEY });

export interface AppProvidersProps {
  /** Already shows the preferred language (`firstWords`). */
  i18n: I18n;
  queryClient: QueryClient;
  clock: Clock;
  children: ReactNode;
}

export function AppProviders({ i18n, queryClient, clock, children }: AppProvidersProps): ReactNode {
  const [language] = useLanguagePreference();
  useLightPrint();
  useEffect(() => {
    if (i18n.locale === language) return undefined;
    let isWanted = true;
    void wordsOf(language).then(
      (words) => isWanted && show(i18n, language, words),
      // The words stay as they are. The frame says that the server does not answer; the choice is kept.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [i18n, language]);
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
            <PressGuarded>
              <NoticeProvider>{children}</NoticeProvider>
            </PressGuarded>
          </MantineProvider>
        </I18nProvider>
      </QueryClientProvider>
    </ClockContext>
  );
}
