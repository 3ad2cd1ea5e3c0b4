/** Named views of a list, saved per account. */
import { z } from 'zod';

export const SAVED_VIEW_SCREENS = ['explanations', 'review'] as const;
export type SavedViewScreen = (typeof SAVED_VIEW_SCREENS)[number];

const savedViewSchema = z.strictObject({
  id: z.string(),
  screen: z.enum(SAVED_VIEW_SCREENS),
  name: z.string(),
  /** The filter as the address has it, from its question mark on; empty for the plain list. */
  search: z.string(),
});
export type SavedView = z.infer<typeof savedViewSchema>;

/** `GET`, `PUT` and `DELETE /api/v1/session/views`: all of the caller's, the latest of each screen first. */
export const savedViewsSchema = z.strictObject({ items: z.array(savedViewSchema) });
export type SavedViewList = z.infer<typeof savedViewsSchema>;
