import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import {
  CONFIDENCE_LEVELS,
  MOST_HOLD_SECONDS,
  TIME_OF_DAY,
  type ActivePolicy,
  type PolicyDraft,
} from '../../../shared/wire/console/console.ts';
import type { Criteria } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { Actor } from '../../components/domain/actor-and-reason.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { VerdictTag } from '../review/item/checks.tsx';
import { useMay } from '../../api/session-context.ts';
import { RuleParameter } from './changes.tsx';
import classes from './policy.module.css';
import { useUnsentForm } from './unsent-form.ts';
import { PublishChange } from './publish-change.tsx';
import { ReasonDigits } from './reason-digits.tsx';

/** Initial expiry time when it is turned on: the close of the Korean market. */
const MARKET_CLOSE = '15:30';

/** The criteria that are whole numbers, each with its maximum. */
const NUMBERS = { minSources: 100, sampleShare: 100, blindShare: 100, holdSeconds: MOST_HOLD_SECONDS } as const;
type NumberCriterion = keyof typeof NUMBERS;

/**
 * Typed values over the criteria in force: a colleague's new version changes the criteria below, not the typed values.
 */
interface TypedCriteria {
  others: Partial<Omit<Criteria, NumberCriterion>>;
  numbers: Partial<Record<NumberCriterion, string>>;
}
const NOTHING_TYPED: TypedCriteria = { others: {}, numbers: {} };

function numberOf(typed: string, most: number): number | null {
  return /^\d{1,4}$/.test(typed.trim()) && Number(typed) <= most ? Number(typed) : null;
}

/** The criteria and their rules; a reviewer changes them, with a preview beside the form. */
export function CriteriaPart(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const [typed, setTyped] = useUnsentForm('criteria', NOTHING_TYPED);
  const [pending, setPending] = useState<PolicyDraft | null>(null);
  return (
    <Loaded query={useQuery(queries.editedPolicy)}>
      {(policy) => {
        if (policy.criteria === null) return <EmptyState title={text('policy.none')} />;
        const changed = changesOf(typed, policy.criteria);
        return (
          <div
            className={pending === null ? parts['columns'] : classes['beside']}
            data-open={pending !== null || undefined}
          >
            <CriteriaForm
              criteria={policy.criteria}
              typed={typed}
              changed={changed}
              onChange={setTyped}
              onPreview={(criteria) => setPending({ criteria })}
            />
            {pending === null ? (
              <Rules policy={policy} />
            ) : (
              <PublishChange
                draft={pending}
                isStale={JSON.stringify(changed) !== JSON.stringify(pending.criteria)}
                onDone={() => setTyped(null)}
                onClose={() => setPending(null)}
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** The changed criteria; null while a number is invalid. */
function changesOf({ others, numbers }: TypedCriteria, criteria: Criteria): Partial<Criteria> | null {
  const read = (Object.entries(numbers) as [NumberCriterion, string][]).map(
    ([name, typed]) => [name, numberOf(typed, NUMBERS[name])] as const,
  );
  if (read.some(([, value]) => value === null)) return null;
  const all = Object.entries({ ...others, ...Object.fromEntries(read) });
  return Object.fromEntries(all.filter(([name, value]) => criteria[name as keyof Criteria] !== value));
}

function CriteriaForm({
  criteria,
  typed,
  changed,
  onChange,
  onPreview,
}: {
  criteria: Criteria;
  typed: TypedCriteria;
  changed: Partial<Criteria> | null;
  onChange: (typed: TypedCriteria) => void;
  onPreview: (changed: Partial<Criteria>) => void;
}): ReactNode {
  const text = useText();
  const mayChange = useMay()('policy.change');
  const chosen = { ...criteria, ...typed.others };
  const choose = (others: TypedCriteria['others']): void =>
    onChange({ ...typed, others: { ...typed.others, ...others } });
  const isSame = changed !== null && Object.keys(changed).length === 0;
  const number = (name: NumberCriterion, description?: string): ReactNode => {
    const value = typed.numbers[name] ?? String(criteria[name]);
    const most = NUMBERS[name];
    return (
      <TextInput
        inputMode="numeric"
        label={text(`criterion.${name}`)}
        description={description}
        value={value}
        disabled={!mayChange}
        error={numberOf(value, most) === null ? text('policy.criteria.range', { most }) : null}
        onChange={(event) => onChange({ ...typed, numbers: { ...typed.numbers, [name]: event.currentTarget.value } })}
      />
    );
  };
  return (
    <Panel title={text('policy.criteria.values')}>
      {!mayChange && <p className={parts['quiet']}>{text('policy.notYourRole')}</p>}
      <form
        className={parts['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (changed !== null && !isSame) onPreview(changed);
        }}
      >
        <Group name="provision">
          <Checkbox
            label={text('criterion.autoProvision')}
            checked={chosen.autoProvision}
            disabled={!mayChange}
            onChange={(event) => choose({ autoProvision: event.currentTarget.checked })}
          />
          {number('minSources')}
          <NativeSelect
            label={text('criterion.minConfidence')}
            value={chosen.minConfidence}
            disabled={!mayChange}
            data={CONFIDENCE_LEVELS.map((level) => ({ value: level, label: text(`confidence.${level}`) }))}
            onChange={(event) => {
              const level = CONFIDENCE_LEVELS.find((one) => one === event.currentTarget.value);
              if (level !== undefined) choose({ minConfidence: level });
            }}
          />
          <Checkbox
            label={text('criterion.uncertainToReview')}
            checked={chosen.uncertainToReview}
            disabled={!mayChange}
            onChange={(event) => choose({ uncertainToReview: event.currentTarget.checked })}
          />
          <Checkbox
            label={text('criterion.suspectToReview')}
            description={text('criterion.suspectToReview.how')}
            checked={chosen.suspectToReview}
            disabled={!mayChange}
            onChange={(event) => choose({ suspectToReview: event.currentTarget.checked })}
          />
          <Checkbox
            label={text('criterion.insidePasses')}
            description={text('criterion.insidePasses.how')}
            checked={chosen.insidePasses}
            disabled={!mayChange}
            onChange={(event) => choose({ insidePasses: event.currentTarget.checked })}
          />
        </Group>
        <Group name="approval">
          <Checkbox
            label={text('criterion.fourEyes')}
            checked={chosen.fourEyes}
            disabled={!mayChange}
            onChange={(event) => choose({ fourEyes: event.currentTarget.checked })}
          />
          {number('holdSeconds', text('criterion.holdSeconds.note'))}
          <Checkbox
            label={text('criterion.expires')}
            description={text('criterion.expires.note')}
            checked={chosen.expiresAt !== null}
            disabled={!mayChange}
            onChange={(event) => choose({ expiresAt: event.currentTarget.checked ? MARKET_CLOSE : null })}
          />
          {chosen.expiresAt !== null && (
            <TextInput
              type="time"
              label={text('criterion.expiresAt')}
              value={chosen.expiresAt}
              disabled={!mayChange}
              onChange={(event) => {
                const { value } = event.currentTarget;
                if (TIME_OF_DAY.test(value)) choose({ expiresAt: value });
              }}
            />
          )}
        </Group>
        <Group name="afterwards">
          {number('sampleShare')}
          {number('blindShare')}
        </Group>
        <Group name="reasons">
          <p className={parts['quiet']}>{text('criterion.reasonDigits.note')}</p>
          <ReasonDigits
            value={chosen.reasonDigits}
            isDisabled={!mayChange}
            onChange={(reasonDigits) => choose({ reasonDigits })}
          />
        </Group>
        {mayChange && (
          <div className={parts['buttons']}>
            <Button type="submit" disabled={changed === null || isSame}>
              {text('policy.toPreview')}
            </Button>
            {isSame && <span className={parts['quiet']}>{text('policy.criteria.same')}</span>}
          </div>
        )}
      </form>
    </Panel>
  );
}

/** Criteria that belong together, under one heading. */
function Group({
  name,
  children,
}: {
  name: 'provision' | 'approval' | 'afterwards' | 'reasons';
  children: ReactNode;
}): ReactNode {
  const text = useText();
  return (
    <fieldset className={classes['group']}>
      <legend>{text(`policy.criteria.group.${name}`)}</legend>
      {children}
    </fieldset>
  );
}

function Rules({ policy }: { policy: ActivePolicy }): ReactNode {
  const text = useText();
  return (
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
                  <RuleParameter key={name} name={name} value={value} ofNotices={'notices' in parameters} />
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
  );
}
