/** The vendor's signature over the received bytes (D32): Ed25519, so there is no algorithm to choose. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';

/** The keys of the moment: two while the vendor's next one takes over. */
export type VerifyKeys = () => readonly KeyObject[];

/** Reads one or more public keys in PEM. @throws Error whose message finishes the sentence "The file …" */
export function readVerifyKeys(pem: string): readonly KeyObject[] {
  const blocks = pem.match(/-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g) ?? [pem];
  return blocks.map((block) => {
    let key: KeyObject;
    try {
      key = createPublicKey(block);
    } catch {
      throw new Error('holds no public key in PEM form');
    }
    if (key.asymmetricKeyType !== 'ed25519')
      throw new Error(`holds a key of type ${key.asymmetricKeyType}, and Ed25519 is needed`);
    return key;
  });
}

/** What is wrong with a signature, as a sentence, or null when it is right by one of the keys. */
export function signatureFault(keys: readonly KeyObject[], body: Uint8Array, header: string | null): string | null {
  if (header === null) return 'The answer is not signed, and a verification key is configured.';
  const signature = Buffer.from(header, 'base64');
  if (signature.toString('base64') !== header) return 'The signature of the answer is not base64.';
  return keys.some((key) => verify(null, body, key, signature))
    ? null
    : 'The signature of the answer does not fit its bytes.';
}
