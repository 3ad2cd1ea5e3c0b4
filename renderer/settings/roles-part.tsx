import type { ReactNode } from 'react';
import { FUNCTION_IDS, isGranted } from '../../shared/policy/matrix.ts';
import { ROLES } from '../../shared/policy/roles.ts';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { useProfile } from '../session/session-context.ts';
import classes from './settings.module.css';

/** Who may do what (document 1 section 5), from the same table that the API enforces. */
export function RolesPart(): ReactNode {
  const text = useText();
  const { role: mine } = useProfile();
  return (
    <>
      <p className={parts['quiet']}>{text('roles.note')}</p>
      <table className={parts['table']} aria-label={text('settings.roles')}>
        <thead>
          <tr>
            <th scope="col">{text('roles.function')}</th>
            {ROLES.map((role) => (
              <th key={role} scope="col" data-mine={role === mine || undefined} className={classes['role']}>
                {text(`role.${role}`)}
                {role === mine && ` (${text('roles.yours')})`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FUNCTION_IDS.map((id) => (
            <tr key={id}>
              <th scope="row">
                {text(`function.${id}`)} <code className={parts['quiet']}>{id}</code>
              </th>
              {ROLES.map((role) => (
                <td key={role} className={classes['role']} data-tone={isGranted(id, role) ? 'good' : 'neutral'}>
                  <Glyph name={isGranted(id, role) ? 'tick' : 'flat'} />{' '}
                  {text(isGranted(id, role) ? 'roles.allowed' : 'roles.denied')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
