import { createContext, useContext } from 'react';
import type { FunctionId } from '../../shared/policy/matrix.ts';
import type { Profile } from '../../shared/wire/console/console.ts';

export const ProfileContext = createContext<Profile | null>(null);

export function useProfile(): Profile {
  const profile = useContext(ProfileContext);
  if (profile === null) throw new TypeError('useProfile needs a logged-in user.');
  return profile;
}

/** The role's permissions, as the server reports them. Hiding a button is a courtesy; the API refuses by itself. */
export function useMay(): (functionId: FunctionId) => boolean {
  const { permissions } = useProfile();
  return (functionId) => permissions.includes(functionId);
}
