import { Button, Popover, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { TakesKeys } from '../../../shared/ui/keys/takes-keys.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { SavedViewScreen } from '../../../shared/wire/console/saved-views.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { useChange } from '../parts/use-change.ts';
import classes from './views.module.css';

/** In characters. */
const LONGEST_NAME = 60;

export interface SavedViewsProps {
  /** The list. */
  screen: SavedViewScreen;
  /** The present view, as in the address. */
  search: string;
}

/** The user's saved views of a list, in any browser. Each is a link that can be shared. */
export function SavedViews({ screen, search }: SavedViewsProps): ReactNode {
  const text = useText();
  const { api, queries } = useConsole();
  const href = `/${screen}`;
  const kept = useQuery(queries.views).data;
  const views = kept?.items.filter((view) => view.screen === screen) ?? [];
  const save = useChange(
    () => api.saveView({ screen, name: name.trim(), search }),
    null,
    () => setName(''),
  );
  const remove = useChange((id: string) => api.removeView(id), null);
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const open = (isNow: boolean): void => {
    setIsOpen(isNow);
    setIsMissing(false);
  };
  return (
    <Popover opened={isOpen} onChange={open} position="bottom-end" width={300} trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button variant="default" rightSection={<Glyph name="chevron" size={10} />} onClick={() => open(!isOpen)}>
          {text('views.title')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={text('views.title')}>
        <TakesKeys kind="dialog" />
        {views.length === 0 ? (
          <p className={classes['quiet']}>{text('views.none')}</p>
        ) : (
          <ul className={classes['views']}>
            {views.map((view) => (
              <li key={view.id}>
                <Link
                  href={`${href}${view.search}`}
                  aria-current={view.search === search ? 'true' : undefined}
                  onClick={() => setIsOpen(false)}
                >
                  {view.name}
                </Link>
                <ConfirmButton
                  label={text('views.delete')}
                  named={text('views.remove', { name: view.name })}
                  onConfirm={() => remove.mutate(view.id)}
                />
              </li>
            ))}
          </ul>
        )}
        <form
          className={classes['form']}
          onSubmit={(event) => {
            event.preventDefault();
            setIsMissing(name.trim() === '');
            if (name.trim() !== '') save.mutate(undefined);
          }}
        >
          <TextInput
            label={text('views.name')}
            value={name}
            maxLength={LONGEST_NAME}
            error={isMissing && name.trim() === '' && text('views.name.missing')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ChangeError error={save.error ?? remove.error} />
          <Button type="submit" variant="default" loading={save.isPending}>
            {text('views.save')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
