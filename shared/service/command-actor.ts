/** The name of a command in an audit log. */
import { userInfo } from 'node:os';

/**
 * The user before sudo. Any caller may set this variable, so it is recorded beside the account and not in its place.
 */
const PERSON = /^[\w.-]{1,64}$/;

/** @returns `command (root, sudo kim)`; no member's name may begin like this */
export function commandName(
  env: Readonly<Record<string, string | undefined>> = process.env,
  account: string = userInfo().username,
): string {
  const person = env['SUDO_USER'] ?? '';
  return PERSON.test(person) && person !== account ? `command (${account}, sudo ${person})` : `command (${account})`;
}
