/** What the page of a demo offers before any login (D231). A server without the demo switch does not call this. */
import { DEMO_ACCOUNTS, DEMO_COLLEAGUES, DEMO_PASSWORD } from '../../../agent/ledger/demo/seed.ts';
import { memberForLogin } from '../../../agent/ledger/accounts/members.ts';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import type { DemoAround, DemoOffer } from '../../../shared/wire/sign-in.ts';

/** The demo's accounts that can log in, with their present roles. */
export function demoOffer(reader: LedgerReader, around: DemoAround | undefined): DemoOffer {
  const accounts = [...DEMO_ACCOUNTS, ...DEMO_COLLEAGUES].flatMap(({ username }) => {
    const member = memberForLogin(reader, username)?.member;
    if (member === undefined || !member.active || member.temporaryPassword) return [];
    return { username, password: DEMO_PASSWORD, role: member.role };
  });
  const id = memberForLogin(reader, 'admin')?.member.id;
  return { accounts, ...(around === undefined || id === undefined ? {} : { tour: { ...around, id } }) };
}
