/**
 * One day on the screen: its clocks, the verdicts of the rules, the unmeasured axes, facts, trends.
 *
 * Before it: `cloud/facts/boundary.ts`. After it: `cloud/console/rules/engine.ts`.
 */
import { useMemo, useState, type ReactNode } from 'react';
import { EmptyState } from '../../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { Tile, Tiles } from '../../../../shared/ui/parts/tiles.tsx';
import { useText } from '../../i18n/use-text.ts';
import { judge } from '../../rules/engine.ts';
import { minuteWords } from '../../rules/reading/silence.ts';
import { SEVERITIES, type ReadFacts } from '../../rules/rule.ts';
import { LongText } from '../../runs/long-text.tsx';
import runs from '../../runs/runs.module.css';
import { AxisPart } from './axis-part.tsx';
import { Clocks } from './clocks.tsx';
import { compareVerdicts } from './compare.ts';
import classes from './values/facts.module.css';
import { useRuleName, useSentence } from './values/fact-names.ts';
import type { FactsView } from './values/facts-view.ts';
import { earlierOf, isToday, keepReadings, earlierReading, nothingSince, type ShownFacts } from './values/sides.ts';
import { TrendsPart } from './trends/trends-part.tsx';
import { UnseenPart } from './unseen-part.tsx';
import { VerdictFacts } from './verdict-facts.tsx';
import { groupVerdicts } from './values/verdict-groups.ts';
import { nameVerdicts, type NamedVerdict } from './values/verdict-keys.ts';
import { ReportButton } from './report/report-button.tsx';
import { VerdictList } from './verdict-list.tsx';
import { VerdictLinks } from '../../verdicts/verdict-links.tsx';
import { SeverityBadge, SEVERITY_LOOKS } from '../../verdicts/severity-badge.tsx';

export interface DayViewProps {
  shown: ShownFacts;
  against: ShownFacts | null;
  view: FactsView;
  hrefOf: (changes: Partial<FactsView>) => string;
  onChange: (changes: Partial<FactsView>) => void;
}

/** A view without any filter. */
const UNFILTERED = { severity: null, verdict: null, verdictPage: 1, page: 1, q: '' } as const;

export function DayView({ shown, against, view, hrefOf, onChange }: DayViewProps): ReactNode {
  const text = useText();
  const { facts } = shown;
  const previous = useEarlier(facts, against?.facts ?? null);
  const verdicts = useMemo(() => nameVerdicts(judge(facts, previous), facts.meta.today), [facts, previous]);
  const other = against?.facts ?? null;
  const changes = useMemo(
    () => (other === null ? null : compareVerdicts(verdicts, judge(other), other.meta.today)),
    [verdicts, other],
  );
  const open = verdicts.find(({ key }) => key === view.verdict);
  const listed =
    view.severity === null ? verdicts : verdicts.filter(({ verdict }) => verdict.severity === view.severity);
  // A tile counts what the list below it shows: equal verdicts are one line.
  const lines = groupVerdicts(verdicts);
  return (
    <>
      <ChosenDay facts={facts} />
      <Clocks shown={shown} against={against} />
      <Panel
        level={2}
        title={text('verdicts.title')}
        aside={
          <ReportButton
            shown={shown}
            previous={previous}
            verdicts={verdicts}
            address={hrefOf({ ...UNFILTERED, date: facts.meta.today })}
          />
        }
      >
        <div className={classes['tiles']}>
          <Tiles label={text('verdicts.tiles')}>
            <Tile
              isSelected={view.severity === null}
              label={text('verdicts.all')}
              count={lines.length}
              onClick={() => onChange({ severity: null, verdictPage: 1 })}
            />
            {SEVERITIES.map((severity) => (
              <Tile
                key={severity}
                isSelected={view.severity === severity}
                look={SEVERITY_LOOKS[severity]}
                label={text(`severity.${severity}`)}
                count={lines.filter(({ first }) => first.verdict.severity === severity).length}
                onClick={() => onChange({ severity: view.severity === severity ? null : severity, verdictPage: 1 })}
              />
            ))}
          </Tiles>
        </div>
        {listed.length === 0 ? (
          <EmptyState title={text('verdicts.none')} />
        ) : (
          <VerdictList
            verdicts={listed}
            open={view.verdict}
            onOpen={(verdict) => onChange({ verdict })}
            page={view.verdictPage}
            onPage={(verdictPage) => onChange({ verdictPage })}
            date={facts.meta.today}
            isPast={!isToday(facts)}
            onlyHere={changes === null || other === null ? null : { keys: changes.onlyLeft, day: other.meta.today }}
            renderFacts={(verdict) => (
              <VerdictFacts
                verdict={verdict}
                facts={facts}
                previous={previous}
                hrefOf={(axis) => hrefOf({ axis, page: 1, q: '' })}
              />
            )}
          />
        )}
        {changes !== null && other !== null && <OnlyThere verdicts={changes.onlyRight} day={other.meta.today} />}
      </Panel>
      <UnseenPart facts={facts} />
      <AxisPart
        facts={facts}
        against={other}
        named={open?.verdict.facts ?? []}
        view={view}
        hrefOf={hrefOf}
        onChange={onChange}
      />
      {shown.file === null ? (
        <TrendsPart day={facts.meta.today} days={view.days} onDays={(days) => onChange({ days })} />
      ) : (
        <Panel level={2} title={text('trends.title')}>
          <p className={runs['none']}>{text('trends.notInFile')}</p>
        </Panel>
      )}
    </>
  );
}

/** Why an earlier day is shown: nothing has begun since. */
function ChosenDay({ facts }: { facts: ReadFacts }): ReactNode {
  const text = useText();
  const said = nothingSince(facts);
  if (said === null) return null;
  const { today: day } = facts.meta;
  return (
    <p className={classes['chosen']} data-tone="wait">
      {said.since === null
        ? text('facts.chosen.never', { day })
        : text('facts.chosen', { day, time: minuteWords(said.since) })}
    </p>
  );
}

/** The facts that the rules compare with: the other day where it is earlier, else an earlier reading of the same day. */
function useEarlier(facts: ReadFacts, against: ReadFacts | null): ReadFacts | null {
  const [readings, setReadings] = useState<readonly ReadFacts[]>([]);
  if (readings.at(-1) !== facts) setReadings(keepReadings(readings, facts));
  return against === null ? earlierReading(readings, facts) : earlierOf(facts, against);
}

function OnlyThere({ verdicts, day }: { verdicts: readonly NamedVerdict[]; day: string }): ReactNode {
  const text = useText();
  const sentenceOf = useSentence();
  const ruleOf = useRuleName();
  return (
    <section className={classes['onlyThere']} aria-label={text('verdicts.onlyThere', { day })}>
      <h3>{text(verdicts.length === 0 ? 'verdicts.onlyThere.none' : 'verdicts.onlyThere', { day })}</h3>
      <ul>
        {verdicts.map(({ key, verdict }) => (
          <li key={key}>
            <SeverityBadge severity={verdict.severity} />
            <span className={classes['told']}>
              <LongText>{sentenceOf(verdict.sentence)}</LongText>
            </span>
            <span className={classes['rule']}>{ruleOf(verdict.rule)}</span>
            <VerdictLinks verdicts={[verdict]} date={day} />
          </li>
        ))}
      </ul>
    </section>
  );
}
