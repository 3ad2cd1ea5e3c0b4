/**
 * The rules for a new password (D18): it must not be one that attackers guess first. Passwords are compared in their
 * hashed form (NFKC) without case. The list is loaded on first use, by services only; no page carries it.
 */
import { ACCOUNT_RULES, PRODUCT_NAME, type AccountRule } from '../../wire/account-rules.ts';
import { ApiError } from '../../wire/envelope.ts';

/** Length in UTF-16 units. */
export const SHORTEST_PASSWORD = 8;

const plain = (text: string): string => text.normalize('NFKC').toLowerCase();
/** Its letters, and the digits between them. */
const kernel = (text: string): string =>
  plain(text)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll(/^\p{N}+|\p{N}+$/gu, '');

/** Whether a password is a name, or that name with digits or signs around it. */
function isMadeOf(password: string, name: string): boolean {
  if (plain(password) === plain(name)) return true;
  return kernel(name) !== '' && kernel(password) === kernel(name);
}

let common: Promise<ReadonlySet<string>> | null = null;

/** The most frequent passwords in published leaks. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Set(dictionary['passwords-common'].map(plain).filter((word) => word.length >= SHORTEST_PASSWORD)),
  );
  return common;
}

/** The account that the password is for, and the names of the firm. */
export interface PasswordOwner {
  username: string;
  firmNames: readonly string[];
}

/** The rule that a password breaks; null where it breaks none. */
export async function brokenRule(password: string, owner: PasswordOwner): Promise<AccountRule | null> {
  if (isMadeOf(password, owner.username)) return 'PASSWORD_IS_USERNAME';
  if ([PRODUCT_NAME, ...owner.firmNames].some((name) => isMadeOf(password, name))) return 'PASSWORD_IS_NAME';
  return (await commonPasswords()).has(plain(password)) ? 'PASSWORD_COMMON' : null;
}

/** @throws ApiError COMMON400 that names the field and the rule */
export async function refuseGuessable(password: string, owner: PasswordOwner, path: string): Promise<void> {
  const rule = await brokenRule(password, owner);
  if (rule !== null) throw new ApiError('COMMON400', undefined, [{ path, message: ACCOUNT_RULES[rule] }]);
}
