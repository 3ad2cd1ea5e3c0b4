import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { EmptyState, Loaded } from '../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../shared/ui/parts/panel.tsx';
import { DataTable } from '../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import { CONFIDENCE_LEVELS, MOST_HOLD_SECONDS, TIME_OF_DAY, type ActivePolicy } from '../../shared/wire/console.ts';
import type { Criteria } from '../api/client.ts';
import { useConsole } from '../api/console-context.tsx';
import { Actor } from '../domain/actor-and-reason.tsx';
import { useText } from '../i18n/use-text.ts';
import parts from '../parts/parts.module.css';
import { VerdictTag } from '../review/checks.tsx';
import { useMay } from '../session/session-context.ts';
import { RuleParameter } from './changes.tsx';
import { PublishChange } from './publish-change.tsx';

/** Where the expiry begins when it is turned on: the close of the Korean market. */
const MARKET_CLOSE = '15:30';

/** The criteria and the rules that they make; a reviewer changes them, after a look at what it would do. */
export function CriteriaPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <Loaded query={useQuery(queries.policy)}>
      {(policy) =>
        policy.criteria === null ? (
          <EmptyState title={text('policy.none')} />
        ) : (
          <CriteriaForm key={policy.policyVersion} policy={policy} criteria={policy.criteria} />
        )
      }
    </Loaded>
  );
}

function CriteriaForm({ policy, criteria }: { policy: ActivePolicy; criteria: Criteria }): ReactNode {
  const text = useText();
  const may = useMay();
  const { api } = useConsole();
  const [chosen, setChosen] = useState(criteria);
  const [isPreviewed, setIsPreviewed] = useState(false);
  const mayChange = may('policy.change');
  const changed = Object.fromEntries(
    Object.entries(chosen).filter(([name, value]) => criteria[name as keyof Criteria] !== value),
  ) as Partial<Criteria>;
  const isSame = Object.keys(changed).length === 0;
  if (isPreviewed)
    return (
      <PublishChange
        draft={{ criteria: changed }}
        publish={(version) => api.changeCriteria(changed, version)}
        onClose={() => setIsPreviewed(false)}
      />
    );
  return (
    <div className={parts['columns']}>
      <Panel title={text('policy.criteria.values')}>
        {!mayChange && <p className={parts['quiet']}>{text('policy.notYourRole')}</p>}
        <form
          className={parts['form']}
          onSubmit={(event) => {
            event.preventDefault();
            setIsPreviewed(true);
          }}
        >
          <Checkbox
            label={text('criterion.autoProvision')}
            checked={chosen.autoProvision}
            disabled={!mayChange}
            onChange={(event) => setChosen({ ...chosen, autoProvision: event.currentTarget.checked })}
          />
          <TextInput
            type="number"
            min={0}
            max={100}
            label={text('criterion.minSources')}
            value={String(chosen.minSources)}
            disabled={!mayChange}
            onChange={(event) => {
              const least = Number(event.currentTarget.value);
              if (Number.isInteger(least) && least >= 0 && least <= 100) setChosen({ ...chosen, minSources: least });
            }}
          />
          <NativeSelect
            label={text('criterion.minConfidence')}
            value={chosen.minConfidence}
            disabled={!mayChange}
            data={CONFIDENCE_LEVELS.map((level) => ({ value: level, label: text(`confidence.${level}`) }))}
            onChange={(event) => {
              const level = CONFIDENCE_LEVELS.find((one) => one === event.currentTarget.value);
              if (level !== undefined) setChosen({ ...chosen, minConfidence: level });
            }}
          />
          <Checkbox
            label={text('criterion.uncertainToReview')}
            checked={chosen.uncertainToReview}
            disabled={!mayChange}
            onChange={(event) => setChosen({ ...chosen, uncertainToReview: event.currentTarget.checked })}
          />
          <Checkbox
            label={text('criterion.fourEyes')}
            checked={chosen.fourEyes}
            disabled={!mayChange}
            onChange={(event) => setChosen({ ...chosen, fourEyes: event.currentTarget.checked })}
          />
          <TextInput
            type="number"
            min={0}
            max={100}
            label={text('criterion.sampleShare')}
            value={String(chosen.sampleShare)}
            disabled={!mayChange}
            onChange={(event) => {
              const share = Number(event.currentTarget.value);
              if (Number.isInteger(share) && share >= 0 && share <= 100) setChosen({ ...chosen, sampleShare: share });
            }}
          />
          <TextInput
            type="number"
            min={0}
            max={100}
            label={text('criterion.blindShare')}
            value={String(chosen.blindShare)}
            disabled={!mayChange}
            onChange={(event) => {
              const share = Number(event.currentTarget.value);
              if (Number.isInteger(share) && share >= 0 && share <= 100) setChosen({ ...chosen, blindShare: share });
            }}
          />
          <TextInput
            type="number"
            min={0}
            max={MOST_HOLD_SECONDS}
            label={text('criterion.holdSeconds')}
            description={text('criterion.holdSeconds.note')}
            value={String(chosen.holdSeconds)}
            disabled={!mayChange}
            onChange={(event) => {
              const seconds = Number(event.currentTarget.value);
              if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MOST_HOLD_SECONDS)
                setChosen({ ...chosen, holdSeconds: seconds });
            }}
          />
          <Checkbox
            label={text('criterion.expires')}
            description={text('criterion.expires.note')}
            checked={chosen.expiresAt !== null}
            disabled={!mayChange}
            onChange={(event) => setChosen({ ...chosen, expiresAt: event.currentTarget.checked ? MARKET_CLOSE : null })}
          />
          {chosen.expiresAt !== null && (
            <TextInput
              type="time"
              label={text('criterion.expiresAt')}
              value={chosen.expiresAt}
              disabled={!mayChange}
              onChange={(event) => {
                const { value } = event.currentTarget;
                if (TIME_OF_DAY.test(value)) setChosen({ ...chosen, expiresAt: value });
              }}
            />
          )}
          {mayChange && (
            <div className={parts['buttons']}>
              <Button type="submit" disabled={isSame}>
                {text('policy.toPreview')}
              </Button>
              {isSame && <span className={parts['quiet']}>{text('policy.criteria.same')}</span>}
            </div>
          )}
        </form>
      </Panel>
      <Panel title={text('policy.rules')}>
        <DataTable
          label={text('policy.rules')}
          rows={policy.rules}
          idOf={({ check }) => check}
          isQuiet={({ active }) => !active}
          columns={[
            {
              id: 'check',
              head: text('checks.check'),
              kind: 'name',
              render: ({ check }) => text(`check.${check}`),
            },
            {
              id: 'state',
              head: text('policy.state'),
              render: ({ active }) => text(active ? 'value.on' : 'value.off'),
            },
            {
              id: 'leadsTo',
              head: text('policy.leadsTo'),
              render: ({ leadsTo }) => <VerdictTag verdict={leadsTo} />,
            },
            {
              id: 'parameters',
              head: text('policy.parameters'),
              render: ({ parameters }) => (
                <ul>
                  {Object.entries(parameters).map(([name, value]) => (
                    <RuleParameter key={name} name={name} value={value} />
                  ))}
                </ul>
              ),
            },
          ]}
        />
        <p className={parts['quiet']}>
          {policy.policyVersion !== null && text('policy.version', { version: policy.policyVersion })} ·{' '}
          {policy.author !== null && <Actor actor={policy.author} />} · <KstTime at={policy.publishedAt} /> ·{' '}
          {text('checks.matcher', { version: policy.matcherVersion })}
        </p>
      </Panel>
    </div>
  );
}
