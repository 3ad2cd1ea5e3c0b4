/** The name under which a command stands in an audit log. */
import { userInfo } from 'node:os';

/** Sudo's name of the person before; anybody may set it, so that it stands beside the account and not in its place. */
const PERSON = /^[\w.-]{1,64}$/;

/** @returns `command (root, sudo kim)`; no member may have a name that begins like this */
export function commandName(
  env: Readonly<Record<string, string | undefined>> = process.env,
  account: string = userInfo().username,
): string {
  const person = env['SUDO_USER'] ?? '';
  return PERSON.test(person) && person !== account ? `command (${account}, sudo ${person})` : `command (${account})`;
}
