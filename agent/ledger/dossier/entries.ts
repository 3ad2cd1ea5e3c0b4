/** The vendor's entries in the received bundles of a dossier. */
import { newEntrySchema, type NewEntry } from '../../../shared/wire/bundle.ts';
import { explanationId } from '../explanations/explanations.ts';
import type { Received } from './bundles.ts';
import { DossierError } from './errors.ts';
import type { FieldsEntry } from './fields.ts';
import { vendorFields } from '../storage/vendor-fields.ts';

interface RawEntry {
  cursor: number;
  delivery_type: string;
  explanation_result?: { explanation_result_id?: unknown; summary?: unknown };
  target_explanation_result_id?: unknown;
  target_movement_analysis_id?: unknown;
}

export interface ReceivedEntry extends FieldsEntry {
  entry: NewEntry;
}

/** Reads each bundle once. */
export class ReceivedEntries {
  readonly #read = new Map<string, readonly RawEntry[]>();

  /** Those of an explanation, by the vendor's id, withdrawals included. @throws DossierError */
  of(bundle: Received, vendorId: string): RawEntry[] {
    return this.#entriesIn(bundle).filter((entry) =>
      [
        entry.explanation_result?.explanation_result_id,
        entry.target_explanation_result_id,
        entry.target_movement_analysis_id,
      ].includes(vendorId),
    );
  }

  /**
   * The texts in these bundles by explanation, in the order of their cursors.
   *
   * @param ids the explanations that are asked about
   * @throws DossierError
   */
  texts(bundles: readonly Received[], ids: ReadonlySet<string>): Map<string, ReceivedEntry[]> {
    const found = new Map<string, ReceivedEntry[]>();
    for (const raw of bundles.flatMap((bundle) => this.#entriesIn(bundle))) {
      const vendorId = raw.explanation_result?.explanation_result_id;
      const id = typeof vendorId === 'string' ? explanationId(vendorId) : '';
      const entry = ids.has(id) ? newEntrySchema.safeParse(raw).data : undefined;
      if (entry === undefined) continue;
      const fields = vendorFields(entry, { source_events: '', evidences: '' });
      found.set(id, [...(found.get(id) ?? []), { cursor: entry.cursor, fields, entry }]);
    }
    return found;
  }

  #entriesIn(bundle: Received): readonly RawEntry[] {
    const known = this.#read.get(bundle.sha256);
    if (known !== undefined) return known;
    try {
      const text = Buffer.from(bundle.body).toString('utf8');
      const { entries } = (JSON.parse(text) as { result: { entries: RawEntry[] } }).result;
      this.#read.set(bundle.sha256, entries);
      return entries;
    } catch {
      throw new DossierError(`The received bundle after cursor ${bundle.cursor_from} cannot be read.`);
    }
  }
}
