import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, LoadingState } from '../parts/data-state.tsx';
import { LoginScreen, type Credentials, type SignInWay } from './login-screen.tsx';
import { SESSION_KEY, type Session } from './session-queries.ts';

export interface SessionGateProps<Profile> {
  session: UseQueryResult<Session<Profile>>;
  /** Which console this is, for the login screen. */
  subtitle: string;
  /** Whether a new installation is set up at the login. */
  hasSetUp?: boolean;
  /** Signing in at a provider; absent where there is none. */
  signIn?: Omit<SignInWay, 'onSignIn'> & { onSignIn: () => Promise<Profile> };
  onLogin: (credentials: Credentials) => Promise<Profile>;
  children: (profile: Profile) => ReactNode;
}

/**
 * Nothing behind it is drawn without a session. The address stays as it is while the login screen
 * shows, so whoever logs in is back where they were.
 */
export function SessionGate<Profile>({
  session,
  subtitle,
  hasSetUp = false,
  signIn,
  onLogin,
  children,
}: SessionGateProps<Profile>): ReactNode {
  const client = useQueryClient();
  if (session.data === undefined) {
    return session.isError ? (
      <main>
        <ErrorState error={session.error} onRetry={() => void session.refetch()} />
      </main>
    ) : (
      <LoadingState />
    );
  }
  const { profile, ended } = session.data;
  if (profile !== null) return children(profile);
  const enter = (profileNow: Profile): void => {
    client.setQueryData<Session<Profile>>(SESSION_KEY, { profile: profileNow, ended: null });
  };
  return (
    <LoginScreen
      subtitle={subtitle}
      farewell={ended}
      hasSetUp={hasSetUp}
      onLogin={async (credentials) => {
        enter(await onLogin(credentials));
      }}
      {...(signIn === undefined ? {} : { signIn: { ...signIn, onSignIn: async () => enter(await signIn.onSignIn()) } })}
    />
  );
}
