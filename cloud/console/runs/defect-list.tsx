import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Defect, DefectKind } from '../../../shared/wire/operator/operator.ts';
import { failurePlace, runPlace } from '../navigation/places.ts';
import { useText } from '../i18n/use-text.ts';
import { groupDefects, subjectOf, type DefectGroup } from './defects.ts';
import { Word, type Look } from './run-badges.tsx';
import { LongText } from './long-text.tsx';
import styles from './defects.module.css';
import classes from './runs.module.css';

const BAD: Look = { tone: 'bad', glyph: 'refused' };
const ABSENT: Look = { tone: 'bad', glyph: 'gap' };
const DOUBTFUL: Look = { tone: 'wait', glyph: 'warning' };
const UNSEEN: Look = { tone: 'neutral', glyph: 'unknown' };
const LOOKS: Readonly<Record<DefectKind, Look>> = {
  PLANNING_GAP: ABSENT,
  RUN_FAILED: BAD,
  RUN_OVERDUE: { tone: 'bad', glyph: 'waiting' },
  RUN_STATUS_UNKNOWN: UNSEEN,
  NO_TASKS: UNSEEN,
  TASK_FAILED: BAD,
  TASK_MISSING: ABSENT,
  TASK_UNFINISHED: DOUBTFUL,
  TASK_STATUS_UNKNOWN: UNSEEN,
  FAILED_RECORDS: DOUBTFUL,
  INCOMPLETE: DOUBTFUL,
  STALE: { tone: 'wait', glyph: 'waiting' },
  FRESHNESS_UNKNOWN: UNSEEN,
};

export interface DefectListProps {
  defects: readonly Defect[];
  /** The most groups shown; the rest is only counted. */
  most?: number;
}

/** In the order of stages, which is no order of execution inside one stage; the row gives the reason. */
export function DefectList({ defects, most }: DefectListProps): ReactNode {
  const text = useText();
  const groups = groupDefects(defects);
  if (groups.length === 0) return <p className={classes['none']}>{text('defects.none')}</p>;
  const shown = most === undefined ? groups : groups.slice(0, most);
  const left = groups.slice(shown.length).reduce((sum, group) => sum + group.defects.length, 0);
  return (
    <ol className={styles['defects']}>
      {shown.map((group) => (
        <li key={JSON.stringify([group.stage, group.kind, group.reason])}>
          <Group group={group} isWhole={most === undefined} />
        </li>
      ))}
      {left > 0 && <li className={classes['more']}>{text('defects.more', { count: left })}</li>}
    </ol>
  );
}

function Group({ group, isWhole }: { group: DefectGroup; isWhole: boolean }): ReactNode {
  const text = useText();
  const [first] = group.defects;
  const isOptional = group.defects.every(({ required }) => required === false);
  return (
    <>
      <span className={styles['stage']}>{group.stage ?? text('defects.ofRun')}</span>
      <Word look={LOOKS[group.kind]}>
        {text(`defect.${group.kind}`)}
        {group.count !== null && ` ${text('defects.records', { count: group.count })}`}
      </Word>
      {group.defects.length > 1 && (
        <span className={styles['times']}>
          {isWhole || first === undefined ? (
            text('defects.times', { count: group.defects.length })
          ) : (
            <Link href={subjectPlace(first)}>{text('defects.times', { count: group.defects.length })}</Link>
          )}
        </span>
      )}
      {isOptional && <span className={classes['quiet']}>{text('defects.optional')}</span>}
      {group.defects.length === 1 && first !== undefined && <Subject defect={first} />}
      {group.reason !== null && (
        <span className={styles['reason']}>
          <LongText>{text('ledger.word', { word: group.reason })}</LongText>
        </span>
      )}
      {isWhole && group.defects.length > 1 && (
        <details className={styles['members']}>
          <summary>{text('defects.which')}</summary>
          <ul>
            {group.defects.map((defect) => (
              <li key={`${defect.runKey} ${defect.taskKey}`}>
                <Subject defect={defect} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Subject({ defect }: { defect: Defect }): ReactNode {
  return (
    <Link className={styles['subject'] ?? ''} href={subjectPlace(defect)}>
      <code>{subjectOf(defect)}</code>
    </Link>
  );
}

const DID_NOT_WORK: ReadonlySet<DefectKind> = new Set([
  'TASK_FAILED',
  'TASK_MISSING',
  'TASK_UNFINISHED',
  'TASK_STATUS_UNKNOWN',
]);

/** A failed task links to its effects, every other defect to its run. */
const subjectPlace = ({ kind, runKey, taskKey }: Defect): string =>
  taskKey !== null && DID_NOT_WORK.has(kind) ? failurePlace(runKey, taskKey) : runPlace(runKey);
