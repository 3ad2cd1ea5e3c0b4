/**
 * The certificates of a text, each as its own PEM block. A block without an end swallows the next one, so that parsing
 * fails; it is never skipped silently.
 */
export const certificateBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
