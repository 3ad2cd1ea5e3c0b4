import type { koReview } from './ko-review.ts';

/** English words of what reviewers do together: notes, the second person, samples, many at once. */
export const enReview: Record<keyof typeof koReview, string> = {
  'timeline.title': 'Timeline and notes',
  'timeline.entries': 'Timeline',
  'timeline.more': 'Show earlier entries ({shown} of {total})',
  'timeline.NOTE': 'Internal note',
  'timeline.CLAIMED': 'Began to look',
  'timeline.RELEASED': 'Stopped looking',
  'note.label': 'Internal note (channels never get it; it cannot be changed or removed)',
  'note.write': 'Write a note',
  'note.add': 'Add the note',
  'note.done': 'The note has been added.',
};
