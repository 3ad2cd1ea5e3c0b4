import type { koAuthors } from './ko-authors.ts';

/** English words about authors: drafts, edits under review, and changes in between. */
export const enAuthors: Record<keyof typeof koAuthors, string> = {
  'action.approve-carried.title': 'Approve the edited text of {item}.',
  'action.approve-carried.confirm': 'Approve edited text',
  'action.approve-carried.done': '{item}: approved with the edited text.',
  'action.approve.received': 'Approve the text as received',
  'action.approve.carriedIgnored': 'The text as received is provided, not the edited text under review.',
  'action.carriesEdit': 'This item has an edited text. Check it, then choose which text to approve.',
  'action.secondPerson':
    'Another reviewer must approve this: authors of the text and its first approver cannot give the second approval.',
  'action.numbersClosed':
    'The ledger was restored and approval numbers are closed: enter the next running number under Settings, Approval numbers, then approve.',
  'action.notAsTold':
    'The state or the first approval of this explanation does not match its records, so nothing was approved. Ask an administrator to check the ledger.',
  'edit.saved.elsewhere': 'changed in another window, saving paused',
  'underReview.title': 'Text under review: edited',
  'underReview.received': 'Text as received (before the edit)',
  'underReview.writtenBy': 'Written by {names}',
  'underReview.firstBy': 'First approval: {name}',
  'underReview.CORRECTION': 'provided before it was sent back to review',
  'underReview.EDIT': 'approved earlier',
  'draft.colleague': '{name} is writing an edited text.',
  'draft.openSince': 'In review since',
  'draft.savedAt': 'last saved',
  'problem.overtakes': '{names} is writing an edited text. To decide all the same, confirm once more.',
  'draft.takeOver': 'Continue this draft',
  'draft.takeOverMeans': 'If you continue it, both of you are its authors.',
  'draft.ownFirst': 'To continue it, discard your own draft first.',
  'draft.authors': 'Authors: {names}. Only a reviewer who is not among them can give the second approval.',
  'draft.fromCarried': 'You started from the edited text by {names}. If you submit it, you are all its authors.',
  'draft.beginAnew': 'Start from the text received',
  'draft.elsewhere': 'You changed this draft in another window. Saving is paused.',
  'draft.takeThere': 'Use the text of the other window',
  'draft.keepHere': 'Keep the text of this window',
  'review.otherDecisions': 'Other decisions',
  'moved.changedByMe': 'You changed this explanation in another window. Check it, then continue.',
  'moved.decidedByMe': 'You decided this in another window first. What you sent from here had no effect.',
  'moved.me': '(you, in another window)',
  'moved.next': 'Next item',
  'moved.copy': 'Copy my text',
  'moved.copied': 'Copied',
};
