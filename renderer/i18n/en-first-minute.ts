import type { koFirstMinute } from './ko-first-minute.ts';

/** The first minute: the five steps of a demo, the keys to begin with. */
export const enFirstMinute: Readonly<Record<keyof typeof koFirstMinute, string>> = {
  'tour.title': 'Try this',
  'tour.hide': 'Hide',
  'tour.done': 'done',
  'tour.all': 'You have tried all five.',
  'tour.approve': 'Approve',
  'tour.edit': 'Edit',
  'tour.withdraw': 'Withdraw at the vendor',
  'tour.preview': 'Preview a policy',
  'tour.dossier': 'Open a dossier',
  'tour.approve.how': 'As reviewer, press {key} in the review queue and approve with Ctrl + Enter.',
  'tour.edit.how': 'As reviewer, press {key}, change the text, and approve it with Ctrl + Enter.',
  'tour.withdraw.how':
    'Open {name} on the channel page, and withdraw it as operator in the operator console. The card of the channel goes dark at once.',
  'tour.withdraw.none': 'Looking for an explanation that channels are given now.',
  'tour.channel': 'Channel page',
  'tour.operator': 'Operator console',
  'tour.preview.how': 'As reviewer, change a word or a criterion, and look at its effect before you publish it.',
  'tour.dossier.how': 'As admin, open an explanation, save its dossier, and open the file.',
  'keys.first': 'Five keys to begin with',
  'keys.first.next': 'next item',
  'keys.first.approve': 'approve',
  'keys.first.approve-edited': 'edit',
  'keys.first.reject': 'reject',
  'keys.first.help': 'all keys',
  'keys.first.hide': 'Got it',
};
