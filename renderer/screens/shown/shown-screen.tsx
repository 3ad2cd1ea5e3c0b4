import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { isCalendarDate, kstDate } from '../../../shared/time/kst.ts';
import { DayField } from '../../../shared/ui/days/day-field.tsx';
import type { ApiProblem } from '../../../shared/ui/http/request.ts';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { useConsole } from '../../api/console-context.tsx';
import { SaveDossier } from '../../components/actions/save-dossier.tsx';
import parts from '../../components/parts/parts.module.css';
import { useText } from '../../i18n/use-text.ts';
import { momentOf, ShownDayView } from './shown-day.tsx';
import classes from './shown.module.css';

/** What was shown of an instrument on a day. Instrument, day and moment stand in the address. */
export function ShownScreen(): ReactNode {
  const text = useText();
  const params = new URLSearchParams(useSearch());
  const today = kstDate(useNow());
  const ticker = params.get('ticker') ?? '';
  const at = params.get('at');
  const asked = params.get('date') ?? dayOf(at);
  const isKnown = asked === null || isCalendarDate(asked);
  const date = isKnown && asked !== null ? asked : today;
  const [, navigate] = useLocation();
  const goTo = (change: Record<string, string>): void =>
    navigate(`/shown?${new URLSearchParams({ ticker, date, ...change }).toString()}`, { replace: true });
  return (
    <section className={classes['screen']} tabIndex={-1}>
      <h1>{text('nav.shown')}</h1>
      <p className={parts['quiet']}>{text('shown.explained')}</p>
      <ShownForm ticker={ticker} onAsk={(next) => goTo({ ticker: next })}>
        <DayField
          label={text('shown.date')}
          labelAt="above"
          value={date}
          max={today}
          onChange={(day) => {
            if (day !== null) goTo({ date: day });
          }}
        />
      </ShownForm>
      {!isKnown && <p role="status">{text('shown.otherDay', { date: asked, today })}</p>}
      {ticker !== '' && <ShownDay ticker={ticker} date={date} at={at} onMove={(next) => goTo({ at: next })} />}
    </section>
  );
}

/** The Korean day of a moment; null for a text that is none. */
function dayOf(at: string | null): string | null {
  const moment = at === null ? null : momentOf(at);
  return moment === null ? null : kstDate(new Date(moment));
}

function ShownForm({
  ticker,
  onAsk,
  children,
}: {
  ticker: string;
  onAsk: (ticker: string) => void;
  children: ReactNode;
}): ReactNode {
  const text = useText();
  const id = useId();
  const [typed, setTyped] = useState(ticker);
  // A link or the way back brings another instrument; the field keeps the focus.
  const [askedBefore, setAskedBefore] = useState(ticker);
  if (askedBefore !== ticker) {
    setAskedBefore(ticker);
    setTyped(ticker);
  }
  return (
    <search>
      <form
        className={parts['bar']}
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(typed.trim());
        }}
      >
        <TextInput
          label={text('shown.ticker')}
          value={typed}
          maxLength={40}
          list={id}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Tickers id={id} typed={typed} />
        {children}
        <Button type="submit" variant="default">
          {text('shown.look')}
        </Button>
      </form>
    </search>
  );
}

/** Most instruments that are suggested. */
const SUGGESTED = 10;

/** Instruments whose code or name holds what is typed. */
function Tickers({ id, typed }: { id: string; typed: string }): ReactNode {
  const { queries } = useConsole();
  const q = useDeferredValue(typed.trim());
  const { data } = useQuery({ ...queries.stocks({ q, page: 1, size: SUGGESTED }), enabled: q !== '' });
  return (
    <datalist id={id}>
      {q !== '' &&
        data?.items.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
    </datalist>
  );
}

interface ShownDayProps {
  ticker: string;
  date: string;
  at: string | null;
  onMove: (at: string) => void;
}

function ShownDay({ ticker, date, at, onMove }: ShownDayProps): ReactNode {
  const { queries } = useConsole();
  const text = useText();
  const query = useQuery(queries.shownDay({ ticker, date }));
  const wordsFor = ({ code }: ApiProblem): string | null => {
    switch (code) {
      case 'SHOWN4001':
        return text('shown.ahead', { date });
      case 'SHOWN4041':
        return text('shown.noTicker', { ticker });
      case 'SHOWN4091':
        return text('shown.notWhole');
      default:
        return null;
    }
  };
  return (
    <Loaded query={query} wordsFor={wordsFor}>
      {(day) => (
        <>
          <ShownDayView day={day} at={at} onMove={onMove} />
          <SaveDossier subject={{ ticker, from: date, to: date }} />
        </>
      )}
    </Loaded>
  );
}
