/** Reads a bundle for the thread that applies it: all that needs no write lock, in what crosses between threads cheaply. */
import { bundleIdAt, type RawBundle } from '../../ledger/inbox/raw-bundles.ts';
import { activePolicy, activePolicyVersion } from '../../ledger/policy/versions.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { createScreener, type KnownWords, type Screener } from '../../screening/screen.ts';
import { entriesOf, readCommitted, type CommittedEntry, type PendingEntry } from '../apply/committed-entries.ts';
import type { ReadNew } from '../apply/entry.ts';
import type { ReadBundle } from './bundle-queue.ts';

/** Keeps the screener of the active policy version between bundles. */
export function bundleReader(reader: LedgerReader): (raw: RawBundle) => ReadBundle {
  let screener: Screener | null = null;

  function screenerNow(): Screener | null {
    const version = activePolicyVersion(reader);
    if (screener?.policyVersion !== version) screener = version === null ? null : screenerOf(reader);
    return screener;
  }

  return (raw) => {
    const now = screenerNow();
    const { cursorFrom, cursorTo, entryCount } = raw;
    const bundleId = bundleIdAt(reader, cursorFrom);
    const entries = entriesOf(raw).map((each) => readAhead(each, { cursorFrom }, now));
    return { cursorFrom, cursorTo, bundleId, entryCount, bytes: raw.body.byteLength, entries };
  };
}

/** Null where the policy cannot be read: the screening under the write lock reports it. */
function screenerOf(reader: LedgerReader): Screener | null {
  try {
    return createScreener(activePolicy(reader) ?? null);
  } catch {
    return null;
  }
}

function readAhead(committed: CommittedEntry, raw: PendingEntry['raw'], screener: Screener | null): PendingEntry {
  const { came, entry, text, toldAt } = committed;
  const read = readCommitted(committed);
  switch (read.kind) {
    case 'NEW': {
      const { cursor, delivery_type, explanation_result, explanation_run, source_events } = read.entry;
      const plain = { cursor, delivery_type, explanation_result, explanation_run, source_events };
      return {
        raw,
        came,
        toldAt,
        entry: plain,
        text: { ...text, whole: '' },
        ahead: { kind: 'NEW', entry: plain, words: wordsIn(plain, screener) },
      };
    }
    case 'INVALIDATION':
      return { raw, came, toldAt, entry: read.entry, text: NO_TEXT, ahead: read };
    case 'REJECTED':
      return {
        raw,
        came,
        toldAt,
        entry: { cursor: entry.cursor },
        text: { ...NO_TEXT, whole: text.whole },
        ahead: read,
      };
  }
}

const NO_TEXT = { whole: '', source_events: '', evidences: '' };

/** Undefined where no check looks for words, and where the search fails: the screening reports that. */
function wordsIn({ explanation_result: result }: ReadNew, screener: Screener | null): KnownWords | undefined {
  if (screener === null || screener.policyVersion === null || result.analysis_engine === 'v2') return undefined;
  try {
    return { policyVersion: screener.policyVersion, hits: screener.findWords(result.summary) };
  } catch {
    return undefined;
  }
}
