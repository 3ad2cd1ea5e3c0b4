/**
 * The certificates of a text, each as its own PEM block. A block without an end takes in the one after it, so that
 * reading it fails; it is never passed over in silence.
 */
export const certificateBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
