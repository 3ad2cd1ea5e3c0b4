import { lazy, type ReactNode } from 'react';
import { EmptyState } from '../../../shared/ui/parts/data-state.tsx';
import { useText } from '../../i18n/use-text.ts';
import { TabbedScreen } from '../../components/parts/tabbed-screen.tsx';
import { useMay } from '../../api/session-context.ts';

const Scope = lazy(async () => ({ default: (await import('./scope-part.tsx')).ScopePart }));
const Sync = lazy(async () => ({ default: (await import('./sync-part.tsx')).SyncPart }));
const Members = lazy(async () => ({ default: (await import('./members-part.tsx')).MembersPart }));
const Audit = lazy(async () => ({ default: (await import('./audit-part.tsx')).AuditPart }));
const Approval = lazy(async () => ({ default: (await import('./approval-part.tsx')).ApprovalPart }));
const ReviewTime = lazy(async () => ({ default: (await import('./review-time-part.tsx')).ReviewTimePart }));
const Roles = lazy(async () => ({ default: (await import('./roles-part.tsx')).RolesPart }));

/** Accounts and roles are for the Tenant Admin only; other roles that follow a link see this message. */
function MembersForbidden(): ReactNode {
  const text = useText();
  return <EmptyState title={text('settings.forbidden')}>{text('settings.forbidden.members')}</EmptyState>;
}

/** Serving scope, cloud sync, users (for permitted roles), audit log, and the permissions of roles. */
export function SettingsScreen(): ReactNode {
  const mayManage = useMay()('members.manage');
  return (
    <TabbedScreen
      screen="settings"
      parts={{
        scope: Scope,
        sync: Sync,
        members: mayManage ? Members : MembersForbidden,
        'approval-numbers': Approval,
        'review-time': ReviewTime,
        audit: Audit,
        roles: Roles,
      }}
    />
  );
}
