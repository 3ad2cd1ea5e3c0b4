/** The calls about users and their passwords. */
import type { ConsoleRouteKey } from '../../shared/policy/console-routes.ts';
import type { Role } from '../../shared/policy/roles.ts';
import type { Requester } from '../../shared/ui/http/request.ts';
import { abortable, createCaller } from '../../shared/ui/http/routes.ts';
import type { ConsoleMember } from '../../shared/wire/console/console.ts';
import type { MemberPage } from '../../shared/wire/console/members.ts';
import type { RecoveryCodes, SecondFactorBegun, SecondFactorSetting } from '../../shared/wire/console/second-factor.ts';

interface Answers {
  'POST /api/v1/session/password': unknown;
  'GET /api/v1/members': MemberPage;
  'POST /api/v1/members': unknown;
  'POST /api/v1/members/{id}/deactivate': unknown;
  'POST /api/v1/members/{id}/password': unknown;
  'PATCH /api/v1/members/{id}/role': unknown;
  'GET /api/v1/members/second-factor': SecondFactorSetting;
  'PUT /api/v1/members/second-factor': unknown;
  'DELETE /api/v1/members/{id}/second-factor': unknown;
  'POST /api/v1/session/second-factor': SecondFactorBegun;
  'POST /api/v1/session/second-factor/confirm': RecoveryCodes;
}

type NewMember = Pick<ConsoleMember, 'username' | 'displayName' | 'role'> & { password: string };
type Target = Pick<ConsoleMember, 'id' | 'version'>;

export function accountCalls(request: Requester) {
  const call = createCaller<Pick<Answers, keyof Answers & ConsoleRouteKey>>(request);
  return {
    changePassword: (currentPassword: string, newPassword: string) =>
      call('POST /api/v1/session/password', { body: { currentPassword, newPassword } }),
    members: (query: { page: number; size: number }, signal?: AbortSignal) =>
      call('GET /api/v1/members', { query: { ...query }, ...abortable(signal) }),
    addMember: (member: NewMember) => call('POST /api/v1/members', { body: member }),
    deactivateMember: ({ id, version }: Target) =>
      call('POST /api/v1/members/{id}/deactivate', { params: { id }, body: {}, version }),
    resetPassword: ({ id, version }: Target, password: string) =>
      call('POST /api/v1/members/{id}/password', { params: { id }, body: { password }, version }),
    secondFactorSetting: (signal?: AbortSignal) => call('GET /api/v1/members/second-factor', abortable(signal)),
    askSecondFactor: ({ version }: SecondFactorSetting, reviewers: boolean) =>
      call('PUT /api/v1/members/second-factor', { body: { reviewers }, version }),
    resetSecondFactor: ({ id, version }: Target) =>
      call('DELETE /api/v1/members/{id}/second-factor', { params: { id }, version }),
    beginSecondFactor: () => call('POST /api/v1/session/second-factor', { body: {} }),
    confirmSecondFactor: (code: string) => call('POST /api/v1/session/second-factor/confirm', { body: { code } }),
    changeRole: ({ id, version }: Target, role: Role) =>
      call('PATCH /api/v1/members/{id}/role', { params: { id }, body: { role }, version }),
  };
}
