import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { useText } from '../../i18n/use-text.ts';
import { RULES } from '../../rules/engine.ts';
import type { ReadFacts, Verdict } from '../../rules/rule.ts';
import runs from '../../runs/runs.module.css';
import { axisAt, isOfNow, kindOf, type AxisId } from './values/axes.ts';
import { namedBy } from './values/fact-link.tsx';
import { FactValue } from './values/fact-value.tsx';
import { placeWords } from './values/fact-words.ts';
import classes from './values/facts.module.css';
import { follow, MOST_FACTS } from './values/pointers.ts';
import { isToday, whoseFacts } from './values/sides.ts';

const MOST_OWNERS = 8;

export interface VerdictFactsProps {
  verdict: Verdict;
  facts: ReadFacts;
  previous: ReadFacts | null;
  hrefOf: (axis: AxisId) => string;
}

/** From a verdict to its facts to their raw JSON. */
export function VerdictFacts({ verdict, facts, previous, hrefOf }: VerdictFactsProps): ReactNode {
  const text = useText();
  const rule = RULES.find(({ id }) => id === verdict.rule);
  const pointed = verdict.facts
    .slice(0, MOST_FACTS)
    .map((pointer) => ({ pointer, ...follow(pointer, facts, previous) }));
  const owners = new Map(pointed.map(({ owner }) => [owner.pointer, owner.value]));
  const more = verdict.facts.length - pointed.length;
  const whose = (isEarlier: boolean, path: string): string => {
    const side = isEarlier ? previous : facts;
    if (side === null) return '';
    return !isToday(side) && isOfNow([path]) ? text('verdicts.current') : whoseFacts(text, side, isEarlier);
  };
  const nameOf = (pointer: string, owner: unknown): string => {
    const path = pointer.replace(/^previous/, '');
    const named = namedBy(path, owner, facts.meta.today)?.name ?? placeWords(text, path);
    return path === pointer ? named : `${named} (${whose(true, path)})`;
  };
  return (
    <>
      <p className={runs['note']}>
        {text('verdicts.rule', { rule: verdict.rule, version: verdict.version })}
        {rule !== undefined && ` · ${text('verdict.meaning', { meaning: text(rule.meaning) })}`}
      </p>
      <div className={runs['scroll']} role="region" aria-label={text('verdict.facts')} tabIndex={0}>
        <DataTable
          isDense
          label={text('verdict.facts')}
          rows={pointed}
          idOf={({ pointer }) => pointer}
          columns={[
            {
              id: 'pointer',
              head: text('verdict.pointer'),
              kind: 'name',
              render: ({ path, isEarlier, owner }) => (
                <PlaceOf
                  path={path}
                  isEarlier={isEarlier}
                  about={namedBy(path, owner.value, (isEarlier ? previous : facts)?.meta.today ?? facts.meta.today)}
                  hrefOf={hrefOf}
                />
              ),
            },
            {
              id: 'value',
              head: text('verdict.value'),
              render: ({ value, path }) => <FactValue value={value} kind={kindOf(path)} />,
            },
            { id: 'of', head: text('verdict.of'), render: ({ isEarlier, path }) => whose(isEarlier, path) },
          ]}
        />
      </div>
      {more > 0 && <p className={runs['more']}>{text('verdict.facts.more', { count: more })}</p>}
      {[...owners].slice(0, MOST_OWNERS).map(([pointer, value]) => (
        <details key={pointer} className={runs['raw']}>
          <summary>{text('verdict.json', { name: nameOf(pointer, value) })}</summary>
          <code>{pointer}</code>
          <pre tabIndex={0}>{value === undefined ? text('facts.absent') : JSON.stringify(value, null, 2)}</pre>
        </details>
      ))}
    </>
  );
}

function PlaceOf({
  path,
  isEarlier,
  about,
  hrefOf,
}: {
  path: string;
  isEarlier: boolean;
  about: { name: string; place: string } | null;
  hrefOf: (axis: AxisId) => string;
}): ReactNode {
  const text = useText();
  const axis = axisAt(path);
  return (
    <>
      {about !== null && (
        <>
          <Link href={about.place}>{about.name}</Link>{' '}
        </>
      )}
      <span className={classes['pointer']}>{placeWords(text, path)}</span>
      {axis !== null && !isEarlier && (
        <>
          {' '}
          <Link href={hrefOf(axis)} onClick={() => document.getElementById('facts-axes')?.scrollIntoView()}>
            {text('verdict.toTable')}
          </Link>
        </>
      )}
    </>
  );
}
