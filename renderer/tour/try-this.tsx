import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { useStored } from '../../shared/ui/theme/preferences.ts';
import type { DemoTour } from '../../shared/wire/sign-in.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { useKeys } from '../screens/review/item/use-keys.ts';
import { changeTour, readTour, STEPS, tourName, type Step, type Tour, type TourChange } from './steps.ts';
import classes from './tour.module.css';

/** As many texts as are looked through for one that is exposed now. */
const LOOKED_THROUGH = 20;

/** The five steps to try, below the head of a demo's console. It takes neither focus nor keys. */
export function TryThis({ demo }: { demo: DemoTour }): ReactNode {
  const text = useText();
  const [kept, keep] = useStored(tourName(demo));
  const tour = readTour(kept);
  const [chosen, setChosen] = useState<Step | null>(null);
  const keepChange = (change: TourChange): void => keep(changeTour(kept, change));
  if (tour.isHidden) return null;
  const open = STEPS.filter((step) => !tour.done.includes(step));
  const [next] = open;
  const step = chosen ?? next;
  return (
    <aside className={classes['tour']} aria-label={text('tour.title')} data-tour>
      <strong>
        {text('tour.title')} {tour.done.length}/{STEPS.length}
      </strong>
      <ol className={classes['steps']}>
        {STEPS.map((each) => (
          <li key={each}>
            <button
              type="button"
              aria-pressed={each === step}
              data-step={each}
              data-done={tour.done.includes(each) || undefined}
              onClick={() => setChosen(each)}
            >
              <Glyph name={tour.done.includes(each) ? 'tick' : 'unknown'} size={12} />
              {text(`tour.${each}`)}
              {tour.done.includes(each) && <span className={classes['done']}>{text('tour.done')}</span>}
            </button>
          </li>
        ))}
      </ol>
      <p className={classes['how']} role="status">
        {step === undefined ? text('tour.all') : <How step={step} tour={tour} demo={demo} onChange={keepChange} />}
      </p>
      <Button variant="subtle" color="gray" size="compact-xs" onClick={() => keepChange({ isHidden: true })}>
        {text('tour.hide')}
      </Button>
      {!tour.done.includes('withdraw') && <Withdrawal tour={tour} onChange={keepChange} />}
    </aside>
  );
}

interface StepProps {
  tour: Tour;
  onChange: (change: TourChange) => void;
}

/** What to do for a step, and as whom. */
function How({ step, tour, demo }: StepProps & { step: Step; demo: DemoTour }): ReactNode {
  const text = useText();
  const { capOf } = useKeys();
  const { queries } = useConsole();
  const target = useQuery({ ...queries.explanation(tour.target ?? ''), enabled: tour.target !== null }).data;
  switch (step) {
    case 'approve':
      return text('tour.approve.how', { key: capOf('approve') });
    case 'edit':
      return text('tour.edit.how', { key: capOf('approve-edited') });
    case 'preview':
      return (
        <>
          {text('tour.preview.how')} <Link href="/policy">{text('nav.policy')}</Link>
        </>
      );
    case 'dossier':
      return (
        <>
          {text('tour.dossier.how')} <Link href="/explanations">{text('nav.explanations')}</Link>
        </>
      );
    case 'withdraw': {
      if (target === undefined) return text('tour.withdraw.none');
      const { etf_name, etf_ticker, explanation_result_id } = target;
      return (
        <>
          {text('tour.withdraw.how', { name: `${etf_ticker} ${etf_name}` })}{' '}
          <Outside
            name={text('tour.channel')}
            at={new URL(`?ticker=${encodeURIComponent(etf_ticker)}`, demo.channelPage)}
          />{' '}
          <Outside
            name={text('tour.operator')}
            at={new URL(`analyses/${encodeURIComponent(explanation_result_id)}`, demo.operatorConsole)}
          />
        </>
      );
    }
  }
}

/** The desktop program opens no plain http address outside: there the address is to be copied. */
function Outside({ name, at }: { name: string; at: URL }): ReactNode {
  if (window.causewayProgram !== undefined)
    return (
      <>
        {name}: <code>{at.href}</code>
      </>
    );
  return (
    <a href={at.href} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}

/** Chooses an exposed text to withdraw, and ticks the step off when the vendor has withdrawn that one. */
function Withdrawal({ tour, onChange }: StepProps): null {
  const { queries } = useConsole();
  const { target } = tour;
  const provided = useQuery({
    ...queries.explanations({ page: 1, size: LOOKED_THROUGH, status: 'AUTO_PUBLISHED,PUBLISHED' }),
    enabled: target === null,
  }).data;
  const watched = useQuery({ ...queries.explanation(target ?? ''), enabled: target !== null });
  /** Texts that were a target and are not exposed any more: the list may still call them so. */
  const past = useRef(new Set<string>());
  const state = watched.data?.id === target ? watched.data : undefined;
  useEffect(() => {
    if (target === null) {
      const candidate = provided?.items.find(({ id, exposed }) => exposed && !past.current.has(id));
      if (candidate !== undefined) onChange({ target: candidate.id });
    } else if (state?.status === 'INVALIDATED') onChange({ step: 'withdraw' });
    // Stopped, replaced or expired meanwhile, or of an earlier demo: another one.
    else if (state?.exposed === false || watched.isError) {
      past.current.add(target);
      onChange({ target: null });
    }
  });
  return null;
}
