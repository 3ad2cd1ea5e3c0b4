import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react';
import { focusMain } from '../keys/lost-focus.ts';
import type { Role } from '../../policy/roles.ts';
import type { Outstanding } from '../../wire/console/session.ts';
import { ErrorState, LoadingState } from '../parts/data-state.tsx';
import { LoginScreen, type SignInWay } from './login-screen.tsx';
import { OwnPasswordScreen } from './own-password-screen.tsx';
import type { SecondFactorWay } from './second-factor-screen.tsx';
import { SESSION_KEY, type Session } from './session-queries.ts';
import type { Credentials } from './use-login.ts';
import { useLogOut } from './use-log-out.ts';

/** Loaded on demand: few users see it, and it draws a QR code. */
const SecondFactorScreen = lazy(async () => ({
  default: (await import('./second-factor-screen.tsx')).SecondFactorScreen,
}));

/** The fields of the logged-in user that the gate needs. */
interface GateProfile {
  username: string;
  /** The next step of the login that must come first. */
  outstanding: Outstanding | null;
  secondFactorResetAt?: string | null;
}

export interface SessionGateProps<Profile extends GateProfile> {
  session: UseQueryResult<Session<Profile>>;
  /** The console's name, for the login screen. */
  subtitle: string;
  /** Whether a new installation is set up at the login. */
  hasSetUp?: boolean;
  /** Sign-in at a provider; absent without one. */
  signIn?: Omit<SignInWay, 'onSignIn'> & { onSignIn: () => Promise<Profile> };
  onLogin: (credentials: Credentials) => Promise<Profile>;
  changePassword: (present: string, next: string) => Promise<unknown>;
  logOut: () => Promise<unknown>;
  /** The set-up of a second factor; absent where none is required. */
  secondFactor?: SecondFactorWay;
  /** See `LoginScreenProps`. */
  nameOfRole?: (role: Role) => string;
  children: (profile: Profile) => ReactNode;
}

/**
 * Renders its content only with a session. The address stays while the login screen shows, so that a user returns to
 * the same place after logging in.
 */
export function SessionGate<Profile extends GateProfile>({
  session,
  subtitle,
  hasSetUp = false,
  signIn,
  onLogin,
  changePassword,
  logOut,
  secondFactor,
  nameOfRole,
  children,
}: SessionGateProps<Profile>): ReactNode {
  const client = useQueryClient();
  const leave = useLogOut(logOut);
  const isIn = session.data === undefined ? null : session.data.profile?.outstanding === null;
  const wasOut = useRef(false);
  useEffect(() => {
    // The form that had the focus has been replaced by a screen.
    if (isIn === true && wasOut.current) focusMain();
    wasOut.current = isIn === false;
  }, [isIn]);
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
  if (profile !== null && profile.outstanding === null) return children(profile);
  if (profile?.outstanding === 'SECOND_FACTOR' && secondFactor !== undefined)
    return (
      <Suspense fallback={<LoadingState />}>
        <SecondFactorScreen
          subtitle={subtitle}
          way={secondFactor}
          resetAt={profile.secondFactorResetAt ?? null}
          onDone={() => void session.refetch()}
          onLogOut={leave}
        />
      </Suspense>
    );
  if (profile !== null)
    return (
      <OwnPasswordScreen
        subtitle={subtitle}
        username={profile.username}
        change={changePassword}
        onDone={() => void session.refetch()}
        onLogOut={leave}
      />
    );
  const enter = (profileNow: Profile): void => {
    client.setQueryData<Session<Profile>>(SESSION_KEY, { profile: profileNow, ended: null });
  };
  return (
    <LoginScreen
      subtitle={subtitle}
      farewell={ended}
      hasSetUp={hasSetUp}
      hasRecoveryCodes={secondFactor !== undefined}
      {...(nameOfRole === undefined ? {} : { nameOfRole })}
      onLogin={async (credentials) => {
        enter(await onLogin(credentials));
      }}
      {...(signIn === undefined ? {} : { signIn: { ...signIn, onSignIn: async () => enter(await signIn.onSignIn()) } })}
    />
  );
}
