import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ROLES, type Role } from '../../../shared/policy/roles.ts';
import { useFieldRule } from '../../../shared/ui/session/use-field-rule.ts';
import { Tag } from '../../../shared/ui/parts/badge.tsx';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { PagedTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { ConsoleMember } from '../../../shared/wire/console/console.ts';
import { AlteredThings } from '../../components/domain/altered-things.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import { ConfirmButton } from '../../components/parts/confirm-button.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useProfile } from '../../api/session-context.ts';
import { SecondFactorSwitch } from './second-factor-switch.tsx';
import { ResetPassword } from './reset-password.tsx';
import classes from './settings.module.css';

const PAGE = 50;

/** Users and roles (D18). No user changes their own role; the API refuses to leave no Tenant Admin. */
export function MembersPart(): ReactNode {
  const text = useText();
  const { id: myId } = useProfile();
  const { api, queries } = useConsole();
  const [page, setPage] = useState(1);
  const [resetting, setResetting] = useState<ConsoleMember | null>(null);
  const role = useChange(
    ({ member, to }: { member: ConsoleMember; to: Role }) => api.changeRole(member, to),
    text('members.roleChanged'),
  );
  const factor = useChange((member: ConsoleMember) => api.resetSecondFactor(member), text('members.factor.done'));
  const deactivate = useChange((member: ConsoleMember) => api.deactivateMember(member), text('members.deactivated'));
  return (
    <>
      {resetting !== null && <ResetPassword member={resetting} onClose={() => setResetting(null)} />}
      <MemberForm />
      <SecondFactorSwitch />
      <ChangeError error={role.error ?? deactivate.error ?? factor.error} />
      <Loaded query={useQuery(queries.members({ page, size: PAGE }))}>
        {(found) => (
          <>
            <AlteredThings things={found.altered} />
            <PagedTable
              label={text('settings.members')}
              page={found}
              count={text('members.total', { total: found.total })}
              onPage={setPage}
              idOf={({ id }) => id}
              isQuiet={({ active }) => !active}
              columns={[
                { id: 'name', head: text('members.name'), kind: 'name', render: ({ displayName }) => displayName },
                { id: 'username', head: text('members.username'), render: ({ username }) => username },
                {
                  id: 'role',
                  head: text('members.role'),
                  render: (member) =>
                    member.id === myId || !member.active ? (
                      text(`role.${member.role}`)
                    ) : (
                      <RoleChoice
                        key={member.role}
                        member={member}
                        isBusy={role.isPending && role.variables.member.id === member.id}
                        onChange={(to) => role.mutate({ member, to })}
                      />
                    ),
                },
                {
                  id: 'state',
                  head: text('members.state'),
                  render: ({ active, temporaryPassword, secondFactor }) => (
                    <span className={parts['buttons']}>
                      <Tag tone={active ? 'good' : 'neutral'} glyph={active ? 'tick' : 'cross'}>
                        {text(active ? 'members.active' : 'members.inactive')}
                      </Tag>
                      {active && secondFactor && (
                        <Tag tone="neutral" glyph="tick">
                          {text('members.factor')}
                        </Tag>
                      )}
                      {active && temporaryPassword && (
                        <Tag tone="wait" glyph="waiting">
                          {text('members.temporary')}
                        </Tag>
                      )}
                    </span>
                  ),
                },
                {
                  id: 'createdAt',
                  head: text('members.createdAt'),
                  kind: 'short',
                  render: ({ createdAt }) => <KstTime at={createdAt} />,
                },
                {
                  id: 'lastLoginAt',
                  head: text('members.lastLoginAt'),
                  kind: 'short',
                  render: ({ lastLoginAt }) => <KstTime at={lastLoginAt} />,
                },
                {
                  id: 'change',
                  head: text('policy.change'),
                  render: (member) =>
                    member.id === myId ? (
                      <span className={parts['quiet']}>{text('members.yourself')}</span>
                    ) : (
                      member.active && (
                        <span className={parts['rowButtons']}>
                          <Button
                            variant="default"
                            size="compact-xs"
                            aria-label={text('members.resetNamed', { name: member.displayName })}
                            onClick={() => setResetting(member)}
                          >
                            {text('members.reset')}
                          </Button>
                          {member.secondFactor && (
                            <ConfirmButton
                              label={text('members.factor.reset')}
                              named={text('members.factor.resetNamed', { name: member.displayName })}
                              isBusy={factor.isPending && factor.variables.id === member.id}
                              onConfirm={() => factor.mutate(member)}
                            />
                          )}
                          <ConfirmButton
                            label={text('members.deactivate')}
                            named={text('members.deactivateNamed', { name: member.displayName })}
                            isBusy={deactivate.isPending && deactivate.variables.id === member.id}
                            onConfirm={() => deactivate.mutate(member)}
                          />
                        </span>
                      )
                    ),
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** A role is chosen first and granted by a button: moving through the list with the arrow keys grants nothing. */
function RoleChoice({
  member,
  isBusy,
  onChange,
}: {
  member: ConsoleMember;
  isBusy: boolean;
  onChange: (to: Role) => void;
}): ReactNode {
  const text = useText();
  const [chosen, setChosen] = useState(member.role);
  return (
    <span className={parts['rowButtons']}>
      <NativeSelect
        className={classes['roleOf'] ?? ''}
        aria-label={text('members.roleOf', { name: member.displayName })}
        value={chosen}
        data={ROLES.map((one) => ({ value: one, label: text(`role.${one}`) }))}
        onChange={(event) => setChosen(ROLES.find((one) => one === event.currentTarget.value) ?? chosen)}
      />
      {chosen !== member.role && (
        <ConfirmButton
          label={text('members.grant')}
          isDestructive={false}
          named={text('members.grantNamed', { name: member.displayName, role: text(`role.${chosen}`) })}
          isBusy={isBusy}
          onConfirm={() => onChange(chosen)}
        />
      )}
    </span>
  );
}

const FIELDS = ['username', 'displayName', 'password'] as const;
/** Rules stand below, so that fields side by side stay on one line. */
const BELOW: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'error', 'description'];
const EMPTY = { username: '', displayName: '', role: 'READ_ONLY' as Role, password: '' };

function MemberForm(): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [member, setMember] = useState(EMPTY);
  const add = useChange(
    () => api.addMember(member),
    text('members.registered'),
    () => setMember(EMPTY),
  );
  const rule = useFieldRule();
  const isToldBeside = FIELDS.some((field) => rule(add.error, field) !== null);
  const isWhole = member.username.trim() !== '' && member.displayName.trim() !== '' && member.password !== '';
  return (
    <>
      <form
        className={classes['memberForm']}
        aria-label={text('members.register')}
        autoComplete="off"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isWhole) add.mutate(undefined);
        }}
      >
        <TextInput
          label={text('members.username')}
          description={text('rule.USERNAME_FORM')}
          inputWrapperOrder={BELOW}
          error={rule(add.error, 'username')}
          value={member.username}
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setMember({ ...member, username: event.currentTarget.value })}
        />
        <TextInput
          label={text('members.name')}
          description={text('members.name.rule')}
          inputWrapperOrder={BELOW}
          error={rule(add.error, 'displayName')}
          value={member.displayName}
          onChange={(event) => setMember({ ...member, displayName: event.currentTarget.value })}
        />
        <NativeSelect
          label={text('members.role')}
          value={member.role}
          data={ROLES.map((one) => ({ value: one, label: text(`role.${one}`) }))}
          onChange={(event) =>
            setMember({ ...member, role: ROLES.find((one) => one === event.currentTarget.value) ?? member.role })
          }
        />
        <TextInput
          type="password"
          label={text('members.password')}
          description={text('members.password.rule')}
          inputWrapperOrder={BELOW}
          error={rule(add.error, 'password')}
          autoComplete="new-password"
          value={member.password}
          onChange={(event) => setMember({ ...member, password: event.currentTarget.value })}
        />
        <Button type="submit" loading={add.isPending} disabled={!isWhole}>
          {text('members.register')}
        </Button>
      </form>
      <ChangeError error={isToldBeside ? null : add.error} />
    </>
  );
}
