/** The Windows signing (Authenticode): by a local token, or by Azure's signing service. */
import type { Configuration, WindowsConfiguration } from 'electron-builder';
import { PackagingError } from './build/inputs.ts';

export interface WindowsSigning {
  /** The subject of the certificate; the updater accepts only installers with the same one. */
  publisher: string;
  win: Pick<WindowsConfiguration, 'signtoolOptions' | 'azureSignOptions' | 'signExts'>;
  /** Without a signature the build fails. */
  forceCodeSigning: NonNullable<Configuration['forceCodeSigning']>;
}

const TIME_STAMPS = 'http://timestamp.digicert.com';

/** @throws PackagingError with one sentence if the variables are incomplete */
export function windowsSigning(env: Readonly<Record<string, string | undefined>>): WindowsSigning {
  const named = (name: string): string | null => env[`CAUSEWAY_WINDOWS_${name}`]?.trim() || null;
  const publisher = named('PUBLISHER');
  if (publisher === null)
    throw new PackagingError(
      'A signed release for Windows needs CAUSEWAY_WINDOWS_PUBLISHER, the common name of the code signing certificate.',
    );
  // Node has its own signature; another one would change the bytes that the program checks at its start.
  const common = { signExts: ['!node.exe'] };
  const sha1 = named('CERT_SHA1');
  if (sha1 !== null) {
    if (!/^[\da-f]{40}$/i.test(sha1))
      throw new PackagingError('CAUSEWAY_WINDOWS_CERT_SHA1 must be the thumbprint of a certificate, 40 hex digits.');
    const signtoolOptions = {
      publisherName: [publisher],
      certificateSha1: sha1,
      signingHashAlgorithms: ['sha256' as const],
      rfc3161TimeStampServer: named('TIMESTAMP') ?? TIME_STAMPS,
    };
    return { publisher, win: { ...common, signtoolOptions }, forceCodeSigning: true };
  }
  const [endpoint, account, profile] = [named('AZURE_ENDPOINT'), named('AZURE_ACCOUNT'), named('AZURE_PROFILE')];
  if (endpoint === null || account === null || profile === null)
    throw new PackagingError(
      'A signed release for Windows needs CAUSEWAY_WINDOWS_CERT_SHA1 (a token), or CAUSEWAY_WINDOWS_AZURE_ENDPOINT, _ACCOUNT and _PROFILE (Azure).',
    );
  const azureSignOptions = {
    publisherName: publisher,
    endpoint,
    codeSigningAccountName: account,
    certificateProfileName: profile,
  };
  return { publisher, win: { ...common, azureSignOptions }, forceCodeSigning: true };
}
