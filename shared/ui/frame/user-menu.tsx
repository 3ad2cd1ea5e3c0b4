import { Button, Menu, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { TakesKeys } from '../keys/takes-keys.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './frame.module.css';

export interface UserMenuProps {
  name: string;
  username: string;
  /** The role in words; absent where there is only one. */
  role?: string;
  /** Further actions of the user on their own account. */
  actions?: readonly { label: string; onClick: () => void }[];
  onLogout: () => void;
}

export function UserMenu({ name, username, role, actions = [], onLogout }: UserMenuProps): ReactNode {
  const text = useSharedText();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" rightSection={<Glyph name="chevron" size={10} />}>
          <VisuallyHidden>{text('user.menu')} </VisuallyHidden>
          <span className={classes['userName']}>{name}</span>
          {role !== undefined && <span className={classes['userRole']}> {role}</span>}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <TakesKeys kind="dialog" />
        <Menu.Label>{username}</Menu.Label>
        {actions.map(({ label, onClick }) => (
          <Menu.Item key={label} onClick={onClick}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item onClick={onLogout}>{text('login.logout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
