import type { ReactNode } from 'react';
import { FUNCTION_IDS, isGranted, type FunctionId } from '../../../shared/policy/matrix.ts';
import { ROLES } from '../../../shared/policy/roles.ts';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { useProfile } from '../../api/session-context.ts';
import classes from './settings.module.css';

/** The permissions of each role (console API 5), from the same table that the API enforces. */
export function RolesPart(): ReactNode {
  const text = useText();
  const { role: mine } = useProfile();
  return (
    <>
      <p className={parts['quiet']}>{text('roles.note')}</p>
      <DataTable
        label={text('settings.roles')}
        rows={FUNCTION_IDS}
        idOf={(id) => id}
        columns={[
          {
            id: 'function',
            head: text('roles.function'),
            kind: 'name',
            render: (id) => (
              <>
                {text(`function.${id}`)} <code className={parts['quiet']}>{id}</code>
              </>
            ),
          },
          ...ROLES.map((role) => ({
            id: role,
            head: `${text(`role.${role}`)}${role === mine ? ` (${text('roles.yours')})` : ''}`,
            kind: 'short' as const,
            isMarked: role === mine,
            render: (id: FunctionId) => <Granted isGranted={isGranted(id, role)} />,
          })),
        ]}
      />
    </>
  );
}

function Granted({ isGranted: isYes }: { isGranted: boolean }): ReactNode {
  const text = useText();
  return (
    <span className={classes['role']} data-tone={isYes ? 'good' : 'neutral'}>
      <Glyph name={isYes ? 'tick' : 'flat'} /> {text(isYes ? 'roles.allowed' : 'roles.denied')}
    </span>
  );
}
