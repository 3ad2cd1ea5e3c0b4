import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { SessionGate as Gate } from '../../../shared/ui/session/session-gate.tsx';
import type { Profile } from '../../../shared/wire/console/console.ts';
import { DraftStore } from '../../components/actions/drafts.ts';
import { DraftContext } from '../../components/actions/use-draft.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ProfileContext } from '../../api/session-context.ts';

/** Provides the logged-in user, and that user's drafts, to the screens. */
export function SessionGate({ children }: { children: ReactNode }): ReactNode {
  const text = useText();
  const { api, queries, signIn } = useConsole();
  const { offer } = signIn;
  return (
    <Gate
      session={useQuery(queries.session)}
      subtitle={text('console.name')}
      hasSetUp={signIn.hasSetUp && offer?.passwords !== false}
      {...(offer === null
        ? {}
        : {
            signIn: {
              label: offer.label,
              withPasswords: offer.passwords,
              failure: signIn.failure,
              onSignIn: async () => {
                await signIn.signIn(offer);
                return api.profile();
              },
            },
          })}
      changePassword={api.changePassword}
      logOut={signIn.signOut}
      nameOfRole={(role) => text(`role.${role}`)}
      secondFactor={{ begin: api.beginSecondFactor, confirm: api.confirmSecondFactor }}
      onLogin={async (credentials) => {
        await api.login(credentials);
        signIn.closeSetUp();
        return api.profile();
      }}
    >
      {(profile) => <LoggedIn profile={profile}>{children}</LoggedIn>}
    </Gate>
  );
}

function LoggedIn({ profile, children }: { profile: Profile; children: ReactNode }): ReactNode {
  const drafts = useMemo(() => new DraftStore(sessionStorage, profile.id), [profile.id]);
  return (
    <ProfileContext value={profile}>
      <DraftContext value={drafts}>{children}</DraftContext>
    </ProfileContext>
  );
}
