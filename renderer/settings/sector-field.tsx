import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { StockScope } from '../../shared/wire/console.ts';
import { WHOLE_LIST } from '../api/client.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import classes from './settings.module.css';

const NAMES = 'sector-names';
const LONGEST = 100;

/** The sectors that are in use, offered by every `SectorField` of the screen. */
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

/** In which sector an instrument is, by the tenant's own word. Emptied, it is in none. */
export function SectorField({ stock: { code, name, sector } }: { stock: StockScope }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [typed, setTyped] = useState(sector ?? '');
  const change = useChange(
    (next: string) => api.setSector(code, next === '' ? null : next),
    text('scope.sector.done', { name }),
  );
  const isChanged = typed.trim() !== (sector ?? '');
  return (
    <>
      <form
        className={parts['buttons']}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) change.mutate(typed.trim());
        }}
      >
        <TextInput
          aria-label={text('scope.sectorOf', { name: `${code} ${name}` })}
          className={classes['sector'] ?? ''}
          list={NAMES}
          value={typed}
          maxLength={LONGEST}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {isChanged && (
          <Button type="submit" variant="default" size="compact-xs" loading={change.isPending}>
            {text('scope.sector.save')}
          </Button>
        )}
      </form>
      <ChangeError error={change.error} />
    </>
  );
}
