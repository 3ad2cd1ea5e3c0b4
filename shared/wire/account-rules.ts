/** The rules of accounts and passwords (D18) as the API names them in `errors`; the screens translate them. */
export const ACCOUNT_RULES = {
  BLANK: 'must not be blank',
  USERNAME_FORM: 'must be 1 to 100 letters, digits or . _ @ -, with a letter or digit at both ends',
  USERNAME_TAKEN: 'is taken by another account',
  NAME_ENDS: 'must not begin or end with white space',
  NAME_INVISIBLE: 'must not contain invisible characters',
  NAME_MIXED: 'must not mix Latin letters with those of an alphabet that looks alike',
  NAME_RESERVED: 'is reserved',
  NAME_TAKEN: 'is, or looks like, the name of another account',
  PASSWORD_SHORT: 'must have at least 8 characters',
  PASSWORD_IS_USERNAME: 'must not be the user name',
  PASSWORD_IS_NAME: 'must not be the name of the product or of the firm',
  PASSWORD_COMMON: 'must not be one of the passwords that are used most often',
  PASSWORD_SAME: 'must be another one than the present password',
  SECOND_FACTOR_WRONG: 'is no code that is valid now, or one that was used already',
  PASSWORD_WRONG: 'is not the present password of this account',
} as const;
export type AccountRule = keyof typeof ACCOUNT_RULES;

/** The account rule that a message of the API names; null for any other message. */
export function accountRuleOf(message: string): AccountRule | null {
  const found = Object.entries(ACCOUNT_RULES).find(([, words]) => words === message);
  return found === undefined ? null : (found[0] as AccountRule);
}

/** The product's well-known name, which no password may be. */
export const PRODUCT_NAME = 'Causeway';
