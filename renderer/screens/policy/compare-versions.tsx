import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { DiffView } from '../../../shared/ui/text/diff-view.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { PolicyChange, PolicyVersionItem } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { Actor } from '../../components/domain/actor-and-reason.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { ChangedThing, Value } from './changes.tsx';
import { NoticeTerms, StateTag, Treatment } from './treatment.tsx';

export interface Compared {
  from: number;
  to: number;
}

export interface CompareVersionsProps {
  /** Versions are numbered from 1 to this one without gaps. */
  newest: number;
  compared: Compared;
  onCompare: (compared: Compared) => void;
  /** Null for a user who may only read. */
  onRestore: ((version: number) => void) | null;
}

/** Any two versions side by side, with all their differences. */
export function CompareVersions({ newest, compared, onCompare, onRestore }: CompareVersionsProps): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const differences = useQuery(queries.policyDifferences(compared));
  const choose = (side: keyof Compared): ReactNode => (
    <NativeSelect
      label={text(`policy.compare.${side}`)}
      value={String(compared[side])}
      data={Array.from({ length: newest }, (_, index) => {
        const version = newest - index;
        return { value: String(version), label: text('policy.version', { version }) };
      })}
      onChange={(event) => onCompare({ ...compared, [side]: Number(event.currentTarget.value) })}
    />
  );
  return (
    <Panel title={text('policy.compare')}>
      <div className={parts['bar']}>
        {choose('from')}
        {choose('to')}
      </div>
      <Loaded query={differences}>
        {({ from, to, changes }) =>
          changes.length === 0 ? (
            <EmptyState title={text('policy.compare.same')} />
          ) : (
            <DataTable
              label={text('policy.compare')}
              rows={changes}
              idOf={(_, index) => index}
              columns={[
                {
                  id: 'what',
                  head: text('policy.compare.what'),
                  kind: 'name',
                  render: (change) => <ChangedThing change={change} />,
                },
                {
                  id: 'from',
                  head: <VersionHead item={from} onRestore={onRestore} />,
                  kind: 'wide',
                  render: (change) => <Side change={change} side="from" />,
                },
                {
                  id: 'to',
                  head: <VersionHead item={to} onRestore={onRestore} />,
                  kind: 'wide',
                  render: (change) => <Side change={change} side="to" />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function VersionHead({
  item: { version, author, createdAt, active },
  onRestore,
}: {
  item: PolicyVersionItem;
  onRestore: CompareVersionsProps['onRestore'];
}): ReactNode {
  const text = useText();
  return (
    <>
      {text('policy.version', { version })} · <Actor actor={author} /> · <KstTime at={createdAt} />
      {onRestore !== null && !active && (
        <>
          {' '}
          <Button
            variant="default"
            size="compact-xs"
            aria-label={text('policy.restoreNamed', { version })}
            onClick={() => onRestore(version)}
          >
            {text('policy.restore')}
          </Button>
        </>
      )}
    </>
  );
}

/** The value of one side of a difference. */
function Side({ change, side }: { change: PolicyChange; side: keyof Compared }): ReactNode {
  const text = useText();
  const absent = text('policy.compare.absent');
  switch (change.kind) {
    case 'WORD_ADDED':
      return side === 'from' ? absent : <Treatment word={change.word} treated={change} />;
    case 'WORD_REMOVED':
      return side === 'to' ? absent : <Treatment word={change.word} treated={change} />;
    case 'WORD_CHANGED':
      return <Treatment word={change.word} treated={side === 'from' ? (change.from ?? change) : change} />;
    case 'WORD_SWITCHED_ON':
    case 'WORD_SWITCHED_OFF':
      return <StateTag active={(change.kind === 'WORD_SWITCHED_ON') === (side === 'to')} />;
    case 'NOTICE': {
      const notice = change[side];
      return notice === null ? absent : <NoticeTerms notice={notice} />;
    }
    case 'CRITERION':
      return <Value value={change[side]} />;
    case 'DISCLAIMER':
      return side === 'to' ? <DiffView before={change.from} after={change.to} /> : <span lang="ko">{change.from}</span>;
    default:
      return null;
  }
}
