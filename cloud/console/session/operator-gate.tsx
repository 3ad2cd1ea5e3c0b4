import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SessionGate } from '../../../shared/ui/session/session-gate.tsx';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ProfileContext } from './profile.ts';

/** Renders its content only after the operator's login. */
export function OperatorGate({ children }: { children: ReactNode }): ReactNode {
  const text = useText();
  const { api, queries } = useOperator();
  return (
    <SessionGate
      session={useQuery(queries.session)}
      subtitle={text('operator.name')}
      changePassword={api.changePassword}
      logOut={api.logout}
      onLogin={async (credentials) => {
        await api.login(credentials);
        return api.profile();
      }}
    >
      {(profile) => <ProfileContext value={profile}>{children}</ProfileContext>}
    </SessionGate>
  );
}
