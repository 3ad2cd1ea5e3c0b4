import { Button, NativeSelect, Radio, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useSearch } from 'wouter';
import { isCalendarDate, kstDate } from '../../../shared/time/kst.ts';
import { DayField } from '../../../shared/ui/days/day-field.tsx';
import { useLanguage } from '../../../shared/ui/i18n/use-text.ts';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { useTooLong } from '../../../shared/ui/parts/search-field.tsx';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import {
  EXPLANATION_STATUSES,
  INSPECTION_FORMS,
  MOST_INSPECTED,
  type InspectionForm,
} from '../../../shared/wire/console/constants.ts';
import type { InspectionCounts, InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { useConsole } from '../../api/console-context.tsx';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './inspection.module.css';

const WORDS = ['ticker', 'person', 'word', 'reason'] as const;
type Typed = Record<'from' | 'to' | 'outcome' | (typeof WORDS)[number], string>;

/** The conditions as the API takes them: an empty field is none. */
function queryOf({ from, to, outcome, ...words }: Typed): InspectionQuery {
  const typed = WORDS.flatMap((name) => (words[name].trim() === '' ? [] : [[name, words[name].trim()] as const]));
  const chosen = EXPLANATION_STATUSES.find((status) => status === outcome);
  return { from, to, ...Object.fromEntries(typed), ...(chosen === undefined ? {} : { outcomes: [chosen] }) };
}

/** The conditions of a link, with the month so far where it names no days. */
function typedOf(params: URLSearchParams, today: string): Typed {
  const given = (name: string): string => params.get(name) ?? '';
  const dayOf = (name: string, otherwise: string): string => (isCalendarDate(given(name)) ? given(name) : otherwise);
  return {
    ...{ from: dayOf('from', `${today.slice(0, 8)}01`), to: dayOf('to', today), outcome: given('outcome') },
    ...{ ticker: given('ticker'), person: given('person'), word: given('word'), reason: given('reason') },
  };
}

/** The conditions, and how many explanations they mean; only then the form of the file. A link may give the conditions. */
export function AskInspection(): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const tooLong = useTooLong();
  const today = kstDate(useNow());
  const search = useSearch();
  const [typed, setTyped] = useState(() => typedOf(new URLSearchParams(search), today));
  const count = useMutation({ mutationFn: (query: InspectionQuery) => api.countInspected(query) });
  const query = queryOf(typed);
  const isCounted = count.data !== undefined && JSON.stringify(count.variables) === JSON.stringify(query);
  const change = (changes: Partial<Typed>): void => setTyped({ ...typed, ...changes });
  return (
    <Panel level={2} title={text('inspection.conditions')}>
      <form
        className={parts['bar']}
        onSubmit={(event) => {
          event.preventDefault();
          if (tooLong(typed.word) === null && tooLong(typed.reason) === null) count.mutate(query);
        }}
      >
        {(['from', 'to'] as const).map((name) => (
          <DayField
            key={name}
            label={text(`inspection.${name}`)}
            labelAt="above"
            value={typed[name]}
            max={today}
            onChange={(day) => change({ [name]: day ?? today })}
          />
        ))}
        <TextInput
          label={text('inspection.ticker')}
          value={typed.ticker}
          maxLength={40}
          onChange={(event) => change({ ticker: event.currentTarget.value })}
        />
        <TextInput
          label={text('inspection.person')}
          title={text('inspection.person.about')}
          value={typed.person}
          maxLength={100}
          onChange={(event) => change({ person: event.currentTarget.value })}
        />
        <NativeSelect
          label={text('inspection.outcome')}
          value={typed.outcome}
          data={[
            { value: '', label: text('inspection.outcome.all') },
            ...EXPLANATION_STATUSES.map((status) => ({ value: status, label: text(`status.${status}`) })),
          ]}
          onChange={(event) => change({ outcome: event.currentTarget.value })}
        />
        {(['word', 'reason'] as const).map((name) => (
          <TextInput
            key={name}
            label={text(`inspection.${name}`)}
            value={typed[name]}
            error={tooLong(typed[name])}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))}
        <Button type="submit" variant={isCounted ? 'default' : 'filled'} loading={count.isPending}>
          {text('inspection.count')}
        </Button>
      </form>
      <div role="status">
        {count.data !== undefined && !count.isPending && !isCounted && <p>{text('inspection.changed')}</p>}
        {isCounted && <Counted counts={count.data} />}
      </div>
      <ChangeError error={count.error} />
      {isCounted && count.data.total > 0 && <Make query={query} total={count.data.total} />}
    </Panel>
  );
}

function Counted({ counts: { total, outcomes } }: { counts: InspectionCounts }): ReactNode {
  const text = useText();
  if (total === 0) return <p className={classes['counted']}>{text('inspection.none')}</p>;
  return (
    <div className={classes['counted']}>
      <strong>{text('inspection.counted', { total })}</strong>
      <ul className={classes['outcomes']}>
        {outcomes.map(({ status, count }) => (
          <li key={status}>
            {text(`status.${status}`)} <b>{count.toLocaleString()}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Make({ query, total }: { query: InspectionQuery; total: number }): ReactNode {
  const text = useText();
  const language = useLanguage();
  const { api } = useConsole();
  const [form, setForm] = useState<InspectionForm>('LIST');
  const ask = useChange(() => api.askInspection(query, form, language), text('inspection.asked'));
  const most = MOST_INSPECTED[form];
  return (
    <div className={classes['make']}>
      <Radio.Group
        label={text('inspection.form')}
        value={form}
        onChange={(chosen) => setForm(INSPECTION_FORMS.find((one) => one === chosen) ?? 'LIST')}
      >
        {INSPECTION_FORMS.map((one) => (
          <Radio
            key={one}
            value={one}
            label={text(`inspection.form.${one}`)}
            description={text(`inspection.form.${one}.about`, { most: MOST_INSPECTED[one].toLocaleString() })}
            mt="xs"
          />
        ))}
      </Radio.Group>
      {total > most && <p>{text('inspection.tooMany', { most: most.toLocaleString() })}</p>}
      <ChangeError error={ask.error} />
      <Button disabled={total > most} loading={ask.isPending} onClick={() => ask.mutate(undefined)}>
        {text('inspection.make')}
      </Button>
    </div>
  );
}
