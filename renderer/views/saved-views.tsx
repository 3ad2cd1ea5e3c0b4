import { Button, CloseButton, Popover, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { TakesKeys } from '../../shared/ui/keys/takes-keys.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { useStored } from '../../shared/ui/preferences.ts';
import { useText } from '../i18n/use-text.ts';
import { useProfile } from '../session/session-context.ts';
import classes from './views.module.css';
import { LONGEST_NAME, readViews, withoutView, withView } from './views.ts';

export interface SavedViewsProps {
  /** Address of the list. */
  href: string;
  /** What is shown of it now, as it stands in the address. */
  search: string;
}

/** The views of a list that this person keeps. Each is a link, so that it can be passed on as one too. */
export function SavedViews({ href, search }: SavedViewsProps): ReactNode {
  const text = useText();
  const { id } = useProfile();
  const [stored, store] = useStored(`views.${id}.${href}`);
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  const views = readViews(stored);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" width={300} trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button variant="default" rightSection={<Glyph name="chevron" size={10} />} onClick={() => setIsOpen(!isOpen)}>
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
              <li key={view.name}>
                <Link
                  href={`${href}${view.search}`}
                  aria-current={view.search === search ? 'true' : undefined}
                  onClick={() => setIsOpen(false)}
                >
                  {view.name}
                </Link>
                <CloseButton
                  size="xs"
                  aria-label={text('views.remove', { name: view.name })}
                  onClick={() => store(JSON.stringify(withoutView(views, view.name)))}
                />
              </li>
            ))}
          </ul>
        )}
        <form
          className={classes['form']}
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            store(JSON.stringify(withView(views, { name, search })));
            setName('');
          }}
        >
          <TextInput
            label={text('views.name')}
            value={name}
            maxLength={LONGEST_NAME}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={name.trim() === ''}>
            {text('views.save')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
