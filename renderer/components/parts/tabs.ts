import type { FunctionId } from '../../../shared/policy/matrix.ts';
import type { MessageId } from '../../i18n/use-text.ts';

/** The parts of each screen that has several, by the last step of their addresses, in the order of their tabs. */
export const TABS = {
  policy: {
    words: 'policy.words',
    notices: 'policy.notices',
    criteria: 'policy.criteria',
    disclaimer: 'policy.disclaimer',
    proposals: 'proposal.title',
    versions: 'policy.versions',
  },
  quality: { statistics: 'quality.statistics', blind: 'quality.blind' },
  settings: {
    scope: 'settings.scope',
    sync: 'settings.sync',
    members: 'settings.members',
    'approval-numbers': 'settings.approvalNumbers',
    'review-time': 'settings.reviewTime',
    audit: 'settings.audit',
    roles: 'settings.roles',
  },
} as const satisfies Record<string, Record<string, MessageId>>;

export type Tabbed = keyof typeof TABS;

/** Parts that other persons reach by their address alone: there they read why it is not theirs. */
const NEEDS: Readonly<Record<string, FunctionId>> = { members: 'members.manage' };

export interface Tab {
  href: string;
  label: MessageId;
  /** Without it there is no link to the part. */
  needs: FunctionId | null;
}

/** The parts of a screen, those without a link for this person too; none for a screen of one part. */
export function tabsOf(href: string): Tab[] {
  const screen = Object.keys(TABS).find((one): one is Tabbed => `/${one}` === href);
  return screen === undefined
    ? []
    : Object.entries(TABS[screen]).map(([id, label]) => ({ href: `${href}/${id}`, label, needs: NEEDS[id] ?? null }));
}

/** Those to which this person has a link. */
export const linkedTabs = (href: string, may: (needs: FunctionId) => boolean): Tab[] =>
  tabsOf(href).filter(({ needs }) => needs === null || may(needs));
