/** The variables of single sign-on (D21, D42). Without an issuer it is off. */
import { readFileSync } from 'node:fs';
import { ROLES, type Role } from '../../../shared/policy/roles.ts';
import { ConfigurationError, variable, type Values } from '../../../shared/service/variables.ts';
import { certificatesInFile } from './certificate-file.ts';

export const SSO_VARIABLES = {
  CAUSEWAY_CONSOLE_SSO_ISSUER: variable.optional(
    'issuer of the OpenID provider, an https address; turns single sign-on on',
    variable.webAddress,
  ),
  CAUSEWAY_CONSOLE_SSO_CLIENT_ID: variable.optional('client id of this console at the provider', variable.text),
  CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE: variable.optional(
    'file of its client secret; unset: a public client',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_SSO_CA: variable.optional(
    'authority of the provider’s certificate, PEM file; unset: the system’s authorities',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_SSO_SCOPE: variable.defaulted(
    'scopes that are requested, openid among them',
    'openid profile',
    scope,
  ),
  CAUSEWAY_CONSOLE_SSO_ROLE_CLAIM: variable.defaulted(
    'claim that gives the role; a dot names a nested claim, as in realm_access.roles',
    'roles',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_SSO_TENANT_ADMIN: variable.optional('value of that claim for a Tenant Admin', variable.text),
  CAUSEWAY_CONSOLE_SSO_COMPLIANCE_REVIEWER: variable.optional('… for a Compliance Reviewer', variable.text),
  CAUSEWAY_CONSOLE_SSO_OPERATOR: variable.optional('… for an Operator', variable.text),
  CAUSEWAY_CONSOLE_SSO_READ_ONLY: variable.optional('… for a user who only reads', variable.text),
  CAUSEWAY_CONSOLE_SSO_LABEL: variable.optional(
    'name of the provider on the login screen; unset: its host',
    variable.text,
  ),
  CAUSEWAY_CONSOLE_SSO_PASSWORDS: variable.defaulted(
    'off: single sign-on only, no passwords',
    'on',
    variable.oneOf('on', 'off'),
  ),
  CAUSEWAY_CONSOLE_SSO_PROGRAM_PORT: variable.defaulted(
    'port of 127.0.0.1 at which desktops wait for the browser, where the provider wants one; 0 takes a free one',
    0,
    variable.wholeNumber(0, 65_535),
  ),
  HTTPS_PROXY: variable.secret(variable.optional('proxy on the way to the provider', variable.webAddress)),
  NO_PROXY: variable.optional('hosts that are reached without the proxy, read as curl does', variable.text),
};

export interface SsoSettings {
  issuer: URL;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** PEM; null for the system's authorities. */
  ca: string | null;
  proxy: { address: URL; except: string } | null;
  scope: string;
  roleClaim: string;
  /** Roles by claim value. */
  roles: ReadonlyMap<string, Role>;
  label: string;
  passwords: boolean;
  programPort: number;
}

const NEEDS_ISSUER = [
  'CAUSEWAY_CONSOLE_SSO_CLIENT_ID',
  'CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE',
  'CAUSEWAY_CONSOLE_SSO_CA',
  'CAUSEWAY_CONSOLE_SSO_LABEL',
  ...ROLES.map((role) => `CAUSEWAY_CONSOLE_SSO_${role}` as const),
] as const;

/**
 * Null without single sign-on.
 *
 * @throws ConfigurationError
 */
export function ssoSettings(values: Values<typeof SSO_VARIABLES>): SsoSettings | null {
  const { CAUSEWAY_CONSOLE_SSO_ISSUER: issuer, CAUSEWAY_CONSOLE_SSO_CLIENT_ID: clientId } = values;
  if (issuer === undefined) {
    const given = NEEDS_ISSUER.find((name) => values[name] !== undefined);
    const noPasswords = values.CAUSEWAY_CONSOLE_SSO_PASSWORDS === 'off' ? 'CAUSEWAY_CONSOLE_SSO_PASSWORDS' : undefined;
    const lonely = given ?? noPasswords;
    if (lonely === undefined) return null;
    throw new ConfigurationError([
      `CAUSEWAY_CONSOLE_SSO_ISSUER is missing: ${lonely} is given, and single sign-on needs a provider.`,
    ]);
  }
  const sentences: string[] = [];
  if (issuer.protocol !== 'https:')
    sentences.push(`CAUSEWAY_CONSOLE_SSO_ISSUER must begin with https://, not ${issuer.protocol}//.`);
  if (clientId === undefined)
    sentences.push('CAUSEWAY_CONSOLE_SSO_CLIENT_ID is missing: register this console at the provider.');
  const named = ROLES.flatMap((role) => {
    const value = values[`CAUSEWAY_CONSOLE_SSO_${role}`];
    return value === undefined ? [] : [[value, role] as const];
  });
  const roles = new Map(named);
  if (roles.size < named.length)
    sentences.push('CAUSEWAY_CONSOLE_SSO_…: one value of the role claim is given for two roles.');
  if (roles.size === 0)
    sentences.push(
      'CAUSEWAY_CONSOLE_SSO_TENANT_ADMIN, …_COMPLIANCE_REVIEWER, …_OPERATOR or …_READ_ONLY is missing: ' +
        'without a value of the role claim no user can sign in.',
    );
  const secretFile = values.CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE;
  const clientSecret =
    secretFile === undefined ? null : read('CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE', secretFile, sentences).trim();
  if (clientSecret === '' && sentences.length === 0)
    sentences.push(`CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE names ${secretFile}, which is empty.`);
  const caFile = values.CAUSEWAY_CONSOLE_SSO_CA;
  const ca = caFile === undefined ? null : authorities(caFile, sentences);
  if (clientId === undefined || sentences.length > 0) throw new ConfigurationError(sentences);
  const { HTTPS_PROXY: proxy, NO_PROXY: except = '' } = values;
  return {
    issuer,
    clientId,
    clientSecret,
    ca,
    proxy: proxy === undefined ? null : { address: proxy, except },
    scope: values.CAUSEWAY_CONSOLE_SSO_SCOPE,
    roleClaim: values.CAUSEWAY_CONSOLE_SSO_ROLE_CLAIM,
    roles,
    label: values.CAUSEWAY_CONSOLE_SSO_LABEL ?? issuer.host,
    passwords: values.CAUSEWAY_CONSOLE_SSO_PASSWORDS === 'on',
    programPort: values.CAUSEWAY_CONSOLE_SSO_PROGRAM_PORT,
  };
}

function scope(text: string): string {
  if (!text.split(' ').includes('openid')) throw new Error(`must contain openid, as in "openid groups", not "${text}"`);
  return text;
}

/** A line end between blocks: TLS passes over one that begins on another's line. */
function authorities(file: string, sentences: string[]): string {
  try {
    return certificatesInFile('CAUSEWAY_CONSOLE_SSO_CA', file).join('\n');
  } catch (error) {
    sentences.push(`${error instanceof Error ? error.message : String(error)}.`);
    return '';
  }
}

function read(name: string, file: string, sentences: string[]): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    sentences.push(`${name} names ${file}, which cannot be read: ${error instanceof Error ? error.message : ''}.`);
    return '';
  }
}
