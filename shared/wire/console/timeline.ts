/** The transitions of an explanation and the reviewers' notes about it, in one list. */
import { z } from 'zod';
import { instant } from './common.ts';
import { OPINION_ENDS, OPINIONS, TIMELINE_ACTIONS } from './constants.ts';
import { stateChangeSchema } from './explanation.ts';

/** Display name of a member, or `SYSTEM`, as in the state history. */
const who = { at: instant, actor: z.string() };

/** One entry of `GET /api/v1/review/items/{id}/timeline`, newest first. */
export const timelineEntrySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('MOVE'), ...stateChangeSchema.omit({ mine: true }).shape }),
  z.strictObject({ kind: z.literal('NOTE'), ...who, text: z.string() }),
  /** `authors`: of the edit that the entry is about. */
  z.strictObject({ kind: z.enum(TIMELINE_ACTIONS), ...who, authors: z.array(z.string()) }),
  /** `to`: a display name; null: any other reviewer (D236). */
  z.strictObject({ kind: z.literal('HANDED_OVER'), ...who, to: z.string().nullable() }),
  z.strictObject({ kind: z.literal('OPINION_ASKED'), ...who, text: z.string() }),
  z.strictObject({ kind: z.literal('OPINION_GIVEN'), ...who, opinion: z.enum(OPINIONS), text: z.string() }),
  z.strictObject({ kind: z.enum(OPINION_ENDS), ...who }),
]);
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;

/** `POST /api/v1/review/items/{id}/notes`: the stored note. */
export const reviewNoteSchema = z.strictObject({ id: z.int(), ...who, text: z.string() });
export type ReviewNote = z.infer<typeof reviewNoteSchema>;
