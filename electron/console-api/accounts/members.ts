/** Users and roles, for the Tenant Admin only (console API 4, D18). */
import { z } from 'zod';
import {
  changeRole,
  deactivateMember,
  listMembers,
  registerMember,
  resetPassword,
  UnknownMemberError,
} from '../../../agent/ledger/accounts/member-changes.ts';
import { endUnproven, hasSecondFactor } from '../../../agent/ledger/accounts/second-factors.ts';
import { findMember, type Member } from '../../../agent/ledger/accounts/members.ts';
import { hasIdentity } from '../../../agent/ledger/accounts/identities.ts';
import { alteredThing } from '../../../agent/ledger/audit/thing-findings.ts';
import { ACCOUNT_TABLES, checkThings } from '../../../agent/ledger/audit/thing-check.ts';
import { readRecordKey, recordKeyFile } from '../../../agent/ledger/made/record-key.ts';
import type { AlteredThing } from '../../../shared/wire/console/audit.ts';
import { refuseGuessable } from '../../../shared/service/accounts/password-rules.ts';
import { hashPassword } from '../../../shared/service/accounts/passwords.ts';
import { ROLES } from '../../../shared/policy/roles.ts';
import type { LedgerReader, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { ConsoleMember } from '../../../shared/wire/console/console.ts';
import { memberPageSchema, memberSchema, type MemberPage } from '../../../shared/wire/console/members.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { actorOf, type Caller, type ConsoleContext } from '../context/context.ts';
import { endpoint, type Call } from '../http/endpoint.ts';
import { displayName, idPath, newPassword, newUsername, paging } from '../http/schemas.ts';

const registerBody = z.strictObject({
  username: newUsername,
  displayName,
  role: z.enum(ROLES),
  password: newPassword,
});

/** Accounts and credentials that differ from the audit log (D199). */
const altered = ({ ledger }: ConsoleContext): AlteredThing[] =>
  ledger.read((reader) => {
    const { faults } = checkThings(reader, readRecordKey(recordKeyFile(ledger.file)), ACCOUNT_TABLES);
    return faults.slice(0, MOST_ALTERED).map((fault) => alteredThing(reader, fault));
  });

const MOST_ALTERED = 20;

export const memberHandlers = {
  'GET /api/v1/members': endpoint({
    summary: 'Users and roles, page by page',
    query: z.strictObject(paging),
    result: memberPageSchema,
    handle: ({ query, context }): MemberPage => {
      const { rows, total } = context.ledger.read((reader) => listMembers(reader, query));
      const { page, size } = query;
      return { items: rows.map((row) => shown(context.ledger, row)), page, size, total, altered: altered(context) };
    },
  }),

  'POST /api/v1/members': endpoint({
    summary: 'Register a user',
    body: registerBody,
    result: memberSchema,
    etag: 'version',
    handle: async ({ body, caller, context, write }): Promise<ConsoleMember> => {
      const { password, ...account } = body;
      await refuseGuessable(password, { username: body.username, firmNames: context.firmNames }, 'body.password');
      const passwordHash = await hashPassword(password);
      const id = context.ids.uuid();
      return write((tx) => {
        const at = context.clock.now().toISOString();
        registerMember(tx, { ...account, id, passwordHash, actor: actorOf(caller), at });
        return memberNow(tx, id);
      });
    },
  }),

  'POST /api/v1/members/{id}/deactivate': endpoint({
    summary: 'Deactivate a user; their sessions end at once',
    path: idPath,
    ifMatch: true,
    result: memberSchema,
    etag: 'version',
    handle: (call): Promise<ConsoleMember> => {
      if (call.path.id === call.caller.member.id) {
        throw new ApiError('COMMON403', 'You cannot deactivate your own account.');
      }
      return change(call, (tx, common) => deactivateMember(tx, common));
    },
  }),

  'PATCH /api/v1/members/{id}/role': endpoint({
    summary: 'Grant a role',
    path: idPath,
    body: z.strictObject({ role: z.enum(ROLES) }),
    ifMatch: true,
    result: memberSchema,
    etag: 'version',
    handle: (call): Promise<ConsoleMember> => {
      if (call.path.id === call.caller.member.id) throw new ApiError('AUTH4031');
      return change(call, (tx, common) => {
        if (changeRole(tx, { ...common, role: call.body.role })) endUnproven(tx, common);
      });
    },
  }),

  'POST /api/v1/members/{id}/password': endpoint({
    summary: 'Set a password that its owner replaces at the next login; their sessions end at once',
    path: idPath,
    body: z.strictObject({ password: newPassword }),
    ifMatch: true,
    result: memberSchema,
    etag: 'version',
    handle: async (call): Promise<ConsoleMember> => {
      const { path, body, caller, context } = call;
      if (path.id === caller.member.id)
        throw new ApiError('COMMON403', 'Your own password is changed in your own account.');
      const { username } = memberNow(context.ledger, path.id);
      if (hasIdentity(context.ledger, path.id))
        throw new ApiError('COMMON409', 'This user signs in by single sign-on and has no password here.');
      await refuseGuessable(body.password, { username, firmNames: context.firmNames }, 'body.password');
      const passwordHash = await hashPassword(body.password);
      return change(call, (tx, common) => resetPassword(tx, { ...common, passwordHash }));
    },
  }),
};

function change(
  { path, caller, context, expected, write }: Call<Caller, { id: string }, unknown, unknown>,
  make: (tx: LedgerTransaction, common: Parameters<typeof deactivateMember>[1]) => void,
): Promise<ConsoleMember> {
  return write((tx) => {
    const at = context.clock.now().toISOString();
    make(tx, { id: path.id, actor: actorOf(caller), at, ...expected });
    return memberNow(tx, path.id);
  });
}

export function memberNow(tx: LedgerReader, id: string): ConsoleMember {
  const member = findMember(tx, id);
  if (member === undefined) throw new UnknownMemberError(id);
  return shown(tx, member);
}

const shown = (reader: LedgerReader, member: Member): ConsoleMember => ({
  ...member,
  secondFactor: hasSecondFactor(reader, member.id),
});
