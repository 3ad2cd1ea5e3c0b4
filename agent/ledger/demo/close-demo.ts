/**
 * Finds and closes what a demo leaves open in a ledger (D63): accounts with the published demo password, and the
 * channel keys of the documents. An account with its own password, and a channel with another key, are real.
 */
import { ConfigurationError } from '../../../shared/service/variables.ts';
import { hashPassword, verifyPassword } from '../../../shared/service/accounts/passwords.ts';
import { commandActor, recordAction } from '../audit/audit.ts';
import { channelOfKey, replaceChannelKey } from '../serving/channels.ts';
import { DEMO_ACCOUNTS, DEMO_CHANNELS, DEMO_COLLEAGUES, DEMO_PASSWORD } from './seed.ts';
import type { Ledger, LedgerReader } from '../storage/ledger.ts';
import { resetPassword } from '../accounts/member-changes.ts';
import { memberForLogin } from '../accounts/members.ts';

interface OpenAccount {
  id: string;
  username: string;
  passwordHash: string;
}

/** Active accounts that the demo password opens. */
async function openAccounts(reader: LedgerReader): Promise<OpenAccount[]> {
  const found: OpenAccount[] = [];
  for (const { username } of [...DEMO_ACCOUNTS, ...DEMO_COLLEAGUES]) {
    const known = memberForLogin(reader, username);
    if (known?.member.active !== true) continue;
    const { passwordHash } = known;
    if (await verifyPassword(DEMO_PASSWORD, passwordHash)) found.push({ id: known.member.id, username, passwordHash });
  }
  return found;
}

function openChannels(reader: LedgerReader): string[] {
  return DEMO_CHANNELS.flatMap(({ key }) => channelOfKey(reader, key) ?? []);
}

/** For a start without the demo. @throws ConfigurationError */
export async function refuseDemo(ledger: LedgerReader, file: string): Promise<void> {
  const [accounts, channels] = [await openAccounts(ledger), openChannels(ledger)];
  if (accounts.length === 0 && channels.length === 0) return;
  const left = [
    ...(accounts.length === 0 ? [] : [`the accounts ${accounts.map(({ username }) => username).join(', ')}`]),
    ...(channels.length === 0 ? [] : [`the channel keys of ${channels.join(', ')}`]),
  ];
  throw new ConfigurationError([
    `The ledger ${file} has ${left.join(' and ')} from a demo: run "npm run console-api -- demo end" to give each account a new password and revoke the keys, name another file in CAUSEWAY_LEDGER to begin anew, or set CAUSEWAY_DEMO=1 to go on with the demo.`,
  ]);
}

/** Gives each open account a password of its own, ends its sessions and revokes the keys, in one transaction. */
export async function endDemo(
  ledger: Ledger,
  parts: { at: string; newPassword(): string; newKey(): string },
): Promise<{ passwords: { username: string; password: string }[]; channels: string[] }> {
  const { at } = parts;
  const renewed = await Promise.all(
    (await openAccounts(ledger)).map(async (account) => {
      const password = parts.newPassword();
      return { ...account, password, renewedHash: await hashPassword(password) };
    }),
  );
  return ledger.write((tx) => {
    // A user may have changed the password while the new ones were hashed.
    const accounts = renewed.filter(({ username, passwordHash }) => {
      const known = memberForLogin(tx, username);
      return known?.member.active === true && known.passwordHash === passwordHash;
    });
    for (const { id, renewedHash } of accounts)
      resetPassword(tx, { id, passwordHash: renewedHash, actor: commandActor(), at });
    const channels = openChannels(tx);
    for (const channel of channels) replaceChannelKey(tx, { channel, key: parts.newKey(), at });
    if (accounts.length > 0 || channels.length > 0) {
      recordAction(tx, {
        at,
        actor: commandActor(),
        action: 'demo.end',
        targetType: 'ledger',
        targetId: null,
        detail: { accounts: accounts.map(({ username }) => username), channels },
      });
    }
    return { passwords: accounts.map(({ username, password }) => ({ username, password })), channels };
  });
}
