import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTakesKeys } from '../../../shared/ui/keys/takes-keys.tsx';
import { NoValue } from '../../../shared/ui/time/times.tsx';
import type { StockScope } from '../../../shared/wire/console/console.ts';
import { WHOLE_LIST } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import classes from './settings.module.css';

const NAMES = 'sector-names';
const LONGEST = 100;

/** The sectors in use, offered by every `SectorField` of the screen. */
export function SectorNames(): ReactNode {
  const { queries } = useConsole();
  const sectors = useQuery(queries.sectors(WHOLE_LIST)).data?.items ?? [];
  return (
    <datalist id={NAMES}>
      {sectors.map(({ sector }) => (
        <option key={sector} value={sector}>
          {sector}
        </option>
      ))}
    </datalist>
  );
}

/** An instrument's sector, in the tenant's own words; a button opens the field. An empty field removes the sector. */
export function SectorField({ stock }: { stock: StockScope }): ReactNode {
  const text = useText();
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The field that had the focus has been removed.
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (isOpen) return <SectorForm stock={stock} onClose={() => setIsOpen(false)} />;
  const { code, name, sector } = stock;
  return (
    <span className={classes['sectorShown']}>
      {sector ?? <NoValue />}
      <Button
        ref={button}
        variant="subtle"
        size="compact-xs"
        aria-label={text('scope.sector.changeNamed', { name: `${code} ${name}` })}
        onClick={() => setIsOpen(true)}
      >
        {text('scope.sector.change')}
      </Button>
    </span>
  );
}

/** Typing searches the sectors in use; a new one is saved as typed. */
function SectorForm({ stock: { code, name, sector }, onClose }: { stock: StockScope; onClose: () => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(sector ?? '');
  useTakesKeys('form');
  useEffect(() => field.current?.select(), []);
  const change = useChange(
    (next: string) => api.setSector(code, next === '' ? null : next),
    text('scope.sector.done', { name }),
    onClose,
  );
  return (
    <>
      <form
        className={parts['buttons']}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === (sector ?? '')) onClose();
          else if (!change.isPending) change.mutate(typed.trim());
        }}
      >
        <TextInput
          ref={field}
          aria-label={text('scope.sectorOf', { name: `${code} ${name}` })}
          className={classes['sector'] ?? ''}
          list={NAMES}
          value={typed}
          maxLength={LONGEST}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
        />
        <Button type="submit" size="compact-xs" loading={change.isPending}>
          {text('scope.sector.save')}
        </Button>
        <Button variant="default" size="compact-xs" onClick={onClose}>
          {text('action.close')}
        </Button>
      </form>
      <ChangeError error={change.error} />
    </>
  );
}
