import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CLIENT, type OpenIdProvider } from '../support/openid-provider.ts';

/** The console's settings for a provider; passwords stay allowed. */
export function singleSignOn(provider: OpenIdProvider, folder: string): Record<string, string> {
  const [ca, secret] = [path.join(folder, 'ca.pem'), path.join(folder, 'secret')];
  writeFileSync(ca, provider.ca);
  writeFileSync(secret, CLIENT.secret);
  return {
    CAUSEWAY_CONSOLE_SSO_ISSUER: provider.issuer,
    CAUSEWAY_CONSOLE_SSO_CLIENT_ID: CLIENT.id,
    CAUSEWAY_CONSOLE_SSO_CLIENT_SECRET_FILE: secret,
    CAUSEWAY_CONSOLE_SSO_CA: ca,
    CAUSEWAY_CONSOLE_SSO_OPERATOR: 'cw-operator',
    CAUSEWAY_CONSOLE_SSO_LABEL: 'Company ID',
  };
}
