/** `GET` and `PUT /api/v1/review/approval-numbers` (D211). */
import { z } from 'zod';
import { instant } from './common.ts';

export const approvalNumberingSchema = z.strictObject({
  /** As in `shared/wire/approval-pattern.ts`; null: approvals have no number. */
  pattern: z.string().nullable(),
  /** The Korean days for which an approval is valid, its own among them; null: it does not end. */
  validDays: z.int().nullable(),
  /** When a restore may have lost numbers: no text that needs one is approved until `next` is stated. Null: they are open. */
  closedAt: instant.nullable(),
  /** The number of the next approval, if it comes today; null where there is none. */
  next: z.string().nullable(),
  version: z.int(),
});
export type ApprovalNumbering = z.infer<typeof approvalNumberingSchema>;
