/**
 * The screen Facts: reads a day's facts from the server or from a saved file (D27), and shows verdicts, facts and trends.
 * The address names the file that is shown; its content stays in memory.
 *
 * Before it: an operator opens the screen Facts. After it: `cloud/console/api/client.ts`.
 */
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { useLocation, useSearch } from 'wouter';
import { isCalendarDate, kstDate } from '../../../../shared/time/kst.ts';
import { ListScreen } from '../../../../shared/ui/list/list-screen.tsx';
import { Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { DayField } from '../../../../shared/ui/days/day-field.tsx';
import { saveFile } from '../../../../shared/ui/parts/save-file.ts';
import { useNow } from '../../../../shared/ui/time/use-now.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LiveBar } from '../../live/live-bar.tsx';
import { useLive } from '../../live/refresh.tsx';
import runs from '../../runs/runs.module.css';
import { DayView } from './day-view.tsx';
import { fileNameOf, writeFactsText, type FactsFile } from './report/facts-file.ts';
import { readFactsView, writeFactsView, type FactsView } from './values/facts-view.ts';
import { Alert, isWrongDate, MissingFile, NoAgainst, WrongDate } from './facts-states.tsx';
import classes from './values/facts.module.css';
import { OpenFileButton } from './report/file-buttons.tsx';
import { useAbsoluteDay } from './use-absolute-day.ts';

const PLACE = '/facts';
/** Parts of the address that belong to one day, reset when another day is shown. */
const RESET = { verdict: null, verdictPage: 1, page: 1 } as const;

export function FactsScreen(): ReactNode {
  const text = useText();
  const { queries } = useOperator();
  const [, navigate] = useLocation();
  const addressed = useSearch();
  const view = useMemo(() => readFactsView(new URLSearchParams(addressed)), [addressed]);
  const [files, setFiles] = useState<ReadonlyMap<string, FactsFile>>(new Map());
  const [fault, setFault] = useState<string | null>(null);
  const today = kstDate(useNow(60_000));

  const live = useLive({ ...queries.facts(view.date), enabled: view.file === null });
  const liveAgainst = useLive({
    ...queries.facts(view.against),
    enabled: view.against !== null && view.againstFile === null,
  });
  const file = view.file === null ? null : (files.get(view.file) ?? null);
  const againstFile = view.againstFile === null ? null : (files.get(view.againstFile) ?? null);
  const facts = view.file === null ? live.data : file?.facts;
  const against = view.againstFile !== null ? againstFile?.facts : view.against !== null ? liveAgainst.data : undefined;

  const hrefOf = (changes: Partial<FactsView>): string => `${PLACE}${writeFactsView({ ...view, ...changes })}`;
  const change = (changes: Partial<FactsView>): void => navigate(hrefOf(changes));
  const opened = (place: 'file' | 'againstFile') => (read: FactsFile) => {
    setFault(null);
    setFiles((before) => new Map(before).set(read.name, read));
    change({
      ...RESET,
      ...(place === 'file' ? { file: read.name, date: null } : { againstFile: read.name, against: null }),
    });
  };
  useAbsoluteDay(view.file === null && view.date === null ? live.data?.meta.today : undefined, (date) =>
    navigate(hrefOf({ date }), { replace: true }),
  );

  return (
    <ListScreen
      title={text('nav.facts')}
      aside={view.file === null ? <LiveBar query={live} asOf={facts?.meta.db} /> : null}
      tools={
        <div className={classes['tools']}>
          <DayField
            label={text('facts.date')}
            value={dayOf(view.file === null ? (view.date ?? facts?.meta.today) : facts?.meta.today)}
            max={today}
            onChange={(date) => change({ ...RESET, date, file: null })}
          />
          <Button variant="default" onClick={() => change({ ...RESET, date: null, file: null })}>
            {text('facts.latest')}
          </Button>
          <DayField
            label={text('facts.against')}
            value={dayOf(view.againstFile === null ? view.against : against?.meta.today)}
            max={today}
            onChange={(day) => change({ ...RESET, against: day, againstFile: null })}
          />
          {(view.against !== null || view.againstFile !== null) && (
            <Button variant="subtle" onClick={() => change({ ...RESET, against: null, againstFile: null })}>
              {text('facts.against.clear')}
            </Button>
          )}
          <span className={classes['files']}>
            <Button
              variant="default"
              disabled={facts === undefined}
              onClick={() => {
                if (facts !== undefined)
                  saveFile(fileNameOf(facts), new Blob([writeFactsText(facts)], { type: 'application/json' }));
              }}
            >
              {text('facts.save')}
            </Button>
            <OpenFileButton label={text('facts.open')} onRead={opened('file')} onFault={setFault} />
            <OpenFileButton label={text('facts.openAgainst')} onRead={opened('againstFile')} onFault={setFault} />
          </span>
        </div>
      }
      tableLabel={text('facts.content')}
      foot={null}
      detail={null}
    >
      <div className={runs['page']}>
        {fault !== null && <Alert onClose={() => setFault(null)}>{fault}</Alert>}
        {view.againstFile !== null && against === undefined && <MissingFile name={view.againstFile} />}
        {view.against !== null && view.againstFile === null && liveAgainst.data === undefined && (
          <NoAgainst query={liveAgainst} date={view.against} onClear={() => change({ against: null })} />
        )}
        {view.file !== null ? (
          facts === undefined ? (
            <MissingFile name={view.file} />
          ) : (
            <>
              <p className={classes['replay']} data-tone="info">
                {text('facts.replay', { name: view.file })}{' '}
                <Button variant="subtle" size="compact-sm" onClick={() => change({ ...RESET, file: null, date: null })}>
                  {text('facts.replay.end')}
                </Button>
              </p>
              <DayView
                shown={{ facts, file: view.file }}
                against={against === undefined ? null : { facts: against, file: view.againstFile }}
                view={view}
                hrefOf={hrefOf}
                onChange={change}
              />
            </>
          )
        ) : isWrongDate(live.error) && view.date !== null ? (
          <WrongDate date={view.date} wayOut={text('facts.latest')} onOut={() => change({ ...RESET, date: null })} />
        ) : (
          <Loaded query={live}>
            {(read) => (
              <DayView
                shown={{ facts: read, file: null }}
                against={against === undefined ? null : { facts: against, file: view.againstFile }}
                view={view}
                hrefOf={hrefOf}
                onChange={change}
              />
            )}
          </Loaded>
        )}
      </div>
    </ListScreen>
  );
}

/** The days that a day field can show. */
const dayOf = (date: string | null | undefined): string | null =>
  typeof date === 'string' && isCalendarDate(date) ? date : null;
