import { memo, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import { Tag } from '../parts/badge.tsx';
import { asOfText } from '../time/format.ts';
import { KstTime, NoValue } from '../time/times.tsx';
import { boundEvidences, MOST_STORED } from './bounds.ts';
import type { CalculationView, DocumentView, EvidenceView } from '../../evidence/evidence.ts';
import classes from './evidence.module.css';
import { Formula } from './formula.tsx';
import { OriginalLink } from './original-link.tsx';
import { ValueView } from './value-view.tsx';

/** The grounds of a text: documents with their links, calculations with formula, arguments and output. */
export function EvidenceList({
  evidences,
  nameOf,
  isFolded = false,
  lightOf,
}: {
  evidences: readonly EvidenceView[];
  /** The screen's name for a stored name; absent where stored names are shown as they are. */
  nameOf?: (name: string) => string;
  /** Values, and what only a technician reads, show on demand, so that the titles of many stand together. */
  isFolded?: boolean;
  /** The lights of an evidence by its place (`use-lights.ts`). */
  lightOf?: (index: number) => string | undefined;
}): ReactNode {
  const text = useSharedText();
  if (evidences.length === 0) return <p className={classes['quiet']}>{text('evidence.none')}</p>;
  const bound = boundEvidences(evidences);
  const more = evidences.length - bound.length;
  return (
    <>
      <ol className={classes['evidences']}>
        {keyed(bound).map(([key, { evidence, isLaidOut }], index) => (
          <li key={key} className={classes['evidence']} data-light={lightOf?.(index)}>
            {evidence.form === 'document' ? (
              <Document evidence={evidence} isFolded={isFolded} />
            ) : (
              <Calculation evidence={evidence} isLaidOut={isLaidOut} nameOf={nameOf} isFolded={isFolded} />
            )}
          </li>
        ))}
      </ol>
      {more > 0 && <p className={classes['quiet']}>{text('evidence.notShown', { count: more })}</p>}
    </>
  );
}

/** Each with its index among those of its form as the key: a list that replaces another reuses matching elements. */
function keyed<T extends { evidence: EvidenceView }>(evidences: readonly T[]): [string, T][] {
  const counts = { document: 0, calculation: 0 };
  return evidences.map((one) => [`${one.evidence.form} ${(counts[one.evidence.form] += 1)}`, one]);
}

function Document({ evidence, isFolded }: { evidence: DocumentView; isFolded: boolean }): ReactNode {
  const text = useSharedText();
  const title = evidence.title ?? text('evidence.untitled');
  const { newsId, toolRunId, itemIds } = evidence;
  const identifiers = <Identifiers newsId={newsId} toolRunId={toolRunId} itemIds={itemIds} />;
  const lang = evidence.title === null ? undefined : 'ko';
  return (
    <>
      <p className={classes['title']}>
        <Tag tone={evidence.kind === 'NEWS' ? 'neutral' : 'info'}>{text(`evidence.kind.${evidence.kind}`)}</Tag>
        {evidence.link === null ? (
          <span lang={lang}>{title}</span>
        ) : (
          <OriginalLink to={evidence.link}>
            <span lang={lang}>{title}</span>
          </OriginalLink>
        )}
      </p>
      <p className={classes['meta']}>
        <span>{evidence.source}</span>
        <KstTime at={evidence.publishedAt} />
        {evidence.link === null && <span>{text('evidence.noLink')}</span>}
        {!isFolded && identifiers}
      </p>
      {isFolded && <Technical>{identifiers}</Technical>}
    </>
  );
}

/** What only a technician reads. */
function Technical({ children }: { children: ReactNode }): ReactNode {
  const text = useSharedText();
  return (
    <details className={classes['fold']}>
      <summary>{text('evidence.technical')}</summary>
      {children}
    </details>
  );
}

function Calculation({
  evidence,
  isLaidOut,
  nameOf,
  isFolded,
}: {
  evidence: CalculationView;
  isLaidOut: boolean;
  nameOf: ((name: string) => string) | undefined;
  isFolded: boolean;
}): ReactNode {
  const text = useSharedText();
  const identifiers = <Identifiers newsId={null} toolRunId={evidence.toolRunId} itemIds={evidence.itemIds} />;
  const formula =
    evidence.formulaLatex === null ? (
      <p className={classes['quiet']}>{text('evidence.noFormula')}</p>
    ) : (
      <Formula key={evidence.formulaLatex} latex={evidence.formulaLatex} />
    );
  const values = isLaidOut ? (
    <div className={classes['values']}>
      <div>
        <h4>{text('evidence.arguments')}</h4>
        <ValueView value={evidence.arguments} label={text('evidence.arguments')} nameOf={nameOf} />
      </div>
      <div>
        <h4>{text('evidence.output')}</h4>
        <ValueView value={evidence.output} label={text('evidence.output')} nameOf={nameOf} />
      </div>
    </div>
  ) : (
    <p className={classes['quiet']}>{text('evidence.tooMany')}</p>
  );
  const stored = (nameOf !== undefined || !isLaidOut) && <Stored evidence={evidence} />;
  return (
    <>
      <p className={classes['title']}>
        <Tag tone="stop">{text('evidence.kind.CALCULATION')}</Tag>
        <span lang="ko">{evidence.title}</span>
      </p>
      <p className={classes['meta']}>
        <span>{evidence.source}</span>
        <span>
          {text('evidence.asOf')} <AsOf asOf={evidence.asOf} />
        </span>
        {!isFolded && identifiers}
      </p>
      {evidence.description !== '' && <p className={classes['description']}>{evidence.description}</p>}
      {isFolded ? (
        <>
          <details className={classes['fold']}>
            <summary>{text('evidence.values')}</summary>
            {values}
          </details>
          <Technical>
            {identifiers}
            {formula}
            {stored}
          </Technical>
        </>
      ) : (
        <>
          {formula}
          {values}
          {stored}
        </>
      )}
    </>
  );
}

/** The values in their stored form, on demand. */
const Stored = memo(function Stored({ evidence }: { evidence: CalculationView }): ReactNode {
  const text = useSharedText();
  const stored = JSON.stringify({ arguments: evidence.arguments, output: evidence.output }, null, 2);
  const isWhole = stored.length <= MOST_STORED;
  return (
    <details>
      <summary className={classes['quiet']}>
        {isWhole ? text('evidence.stored') : text('evidence.storedStart', { shown: MOST_STORED, count: stored.length })}
      </summary>
      <code className={classes['stored']}>{isWhole ? stored : stored.slice(0, MOST_STORED)}</code>
    </details>
  );
});

/** Never the time of publication or of the run: an unknown time is a dash (sync protocol 2.9). */
function AsOf({ asOf }: { asOf: string | null }): ReactNode {
  const text = useSharedText();
  const shown = asOfText(asOf);
  if (shown === null) return <NoValue />;
  return shown.zoned ? text('time.kst', { time: shown.text }) : shown.text;
}

function Identifiers(ids: { newsId: string | null; toolRunId: string | null; itemIds: readonly string[] }): ReactNode {
  const text = useSharedText();
  return (
    <>
      {ids.newsId !== null && (
        <span>
          {text('evidence.newsId')} <code>{ids.newsId}</code>
        </span>
      )}
      {ids.toolRunId !== null && (
        <span>
          {text('evidence.toolRunId')} <code>{ids.toolRunId}</code>
        </span>
      )}
      {ids.itemIds.length > 0 && (
        <span>
          {text('evidence.items')} <code>{ids.itemIds.join(', ')}</code>
        </span>
      )}
    </>
  );
}
