/** The one API client and its queries, handed down to every screen. */
import { createContext, useContext } from 'react';
import type { ConsoleApi } from './client.ts';
import type { ConsoleQueries } from './queries.ts';
import type { SignInService } from './sign-in.ts';
import type { DemoOffer } from '../../shared/wire/sign-in.ts';
import type { VersionWatch } from '../app/version/version-watch.ts';

export interface ConsoleServices {
  api: ConsoleApi;
  queries: ConsoleQueries;
  signIn: SignInService;
  versions: VersionWatch;
  /** What a demo offers; null everywhere else. */
  demo: DemoOffer | null;
}

export const ConsoleContext = createContext<ConsoleServices | null>(null);

export function useConsole(): ConsoleServices {
  const services = useContext(ConsoleContext);
  if (services === null) throw new TypeError('useConsole needs a ConsoleContext above it.');
  return services;
}
