/** What a screening records: codes and the facts that they are about, and no words of a language (`sentences.ts`). */
import {
  checkResultSchema,
  wordHitSchema,
  type CheckResult,
  type WordHit,
} from '../../shared/wire/console/screening.ts';

export type RecordedHit = Omit<WordHit, 'why'>;
export type RecordedCheck = Omit<CheckResult, 'message' | 'hits'> & { hits: RecordedHit[] };

export const recordedCheckSchema = checkResultSchema
  .omit({ message: true })
  .extend({ hits: wordHitSchema.omit({ why: true }).array() });
