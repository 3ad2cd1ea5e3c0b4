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
  'timeline.EDIT_WAITS': 'Edited and approved (waits for a second person)',
  'timeline.EDIT_VOIDED': 'Text changed: the first approval is void',
  'criterion.fourEyes': 'An edited text, and a change of the policy, needs a second reviewer',
  'fourEyes.waits': 'waits for a second person',
  'fourEyes.title': 'Edited text that waits for a second person',
  'fourEyes.by': 'Edited and approved by {name}.',
  'fourEyes.mine': 'It is your own edit: another reviewer must approve it before it is provided.',
  'fourEyes.yours':
    'Open “Approve with edit” and send it as it is: then it is provided. Changing it voids the first approval.',
  'fourEyes.first': 'The policy asks for a second reviewer: it is provided once somebody else has approved it, too.',
  'fourEyes.second':
    'Yours is the second approval. Sent as it is, it is provided; changing it voids the first approval.',
  'fourEyes.asked': '{item}: the edited text waits for a second person.',
  'fourEyes.noCorrection':
    'Two people are needed for an edit, so the text cannot be corrected here. Move it to review and edit it there.',
  'proposal.title': 'Proposals',
  'proposal.make': 'Propose to a second reviewer',
  'proposal.done': 'The change is proposed. It takes effect once another reviewer publishes it.',
  'proposal.note': 'Two people are needed: it becomes a version once another reviewer publishes it.',
  'proposal.explained':
    'Changes that one reviewer has proposed and another one publishes. A new version voids all that wait.',
  'proposal.none': 'No proposal waits.',
  'proposal.total': '{total, plural, one {# proposal} other {# proposals}}',
  'proposal.at': 'Proposed',
  'proposal.mine': 'your own',
  'proposal.withdraw': 'Withdraw',
  'proposal.withdrawNamed': 'Withdraw the proposal of {name}',
  'proposal.withdrawn': 'The proposal is withdrawn.',
};
