import { createContext, useContext } from 'react';
import type { OperatorProfile } from '../../../shared/wire/operator/operator.ts';

export const ProfileContext = createContext<OperatorProfile | null>(null);

export function useProfile(): OperatorProfile {
  const profile = useContext(ProfileContext);
  if (profile === null) throw new TypeError('useProfile needs the operator to be logged in.');
  return profile;
}
