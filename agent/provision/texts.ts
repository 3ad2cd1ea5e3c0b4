/** The texts that are exposed to a channel at a moment, with the disclaimer that goes out with each (D57, D61). */
import type { ServedExplanation } from '../../shared/wire/console/console.ts';
import { activePolicy, activePolicyVersion } from '../ledger/policy/versions.ts';
import { exposedExplanation } from '../ledger/serving/visibility.ts';
import type { LedgerReader } from '../ledger/storage/ledger.ts';
import { disclaimerText } from '../screening/policy.ts';
import type { ServedState } from './traffic.ts';

export interface TextRequest {
  channel: string;
  /** Of the active policy; null: there is none. */
  disclaimer: string | null;
  now: Date;
}

export interface ExposedText {
  /** By which the answer is counted once it is served. */
  state: ServedState;
  answer: ServedExplanation;
}

/**
 * The text that is exposed to a channel. A v1 text needs the policy's disclaimer, which is a legal duty. A v2 text works
 * without a policy; its disclaimer is null then (D61).
 */
export function exposedText(
  reader: LedgerReader,
  symbol: string,
  { channel, disclaimer, now }: TextRequest,
): ExposedText | undefined {
  const found = exposedExplanation(reader, symbol, channel, now);
  if (found === undefined) return undefined;
  const { id, engine, afterMove, afterFact, ...text } = found;
  if (disclaimer === null && engine !== 'v2') return undefined;
  return { state: { id, afterMove, afterFact }, answer: { ...text, disclaimer } };
}

/** Reads the disclaimer of the active policy; reads the snapshot only when the version has changed. */
export function disclaimerReader(): (reader: LedgerReader) => string | null {
  let known: { version: number; text: string } | undefined;
  return (reader) => {
    const version = activePolicyVersion(reader);
    if (version === null) return null;
    if (known?.version !== version) {
      const policy = activePolicy(reader);
      if (policy === undefined) return null;
      known = { version: policy.version, text: disclaimerText(policy.snapshot) };
    }
    return known.text;
  };
}
