/** The one API client and its queries, handed down to every screen. */
import { createContext, useContext } from 'react';
import type { OperatorApi } from './client.ts';
import type { OperatorQueries } from './queries.ts';

export interface OperatorServices {
  api: OperatorApi;
  queries: OperatorQueries;
}

export const OperatorContext = createContext<OperatorServices | null>(null);

export function useOperator(): OperatorServices {
  const services = useContext(OperatorContext);
  if (services === null) throw new TypeError('useOperator needs an OperatorContext above it.');
  return services;
}
