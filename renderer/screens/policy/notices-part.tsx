import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { EmptyState, Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { DataTable } from '../../../shared/ui/table/data-table.tsx';
import type { PolicyDraft, RequiredNotice } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { useMay } from '../../api/session-context.ts';
import { problemsOf, readList, writeList } from './exceptions.ts';
import { ListProblems, RuleForm, SeveritySelect } from './fields.tsx';
import classes from './policy.module.css';
import { useUnsentForm } from './unsent-form.ts';
import { PublishChange } from './publish-change.tsx';
import { SeverityTag, StateTag, Terms } from './treatment.tsx';

/** The typed notice; without an id it is a new one. */
interface TypedNotice {
  id: string | null;
  name: string;
  severity: RequiredNotice['severity'];
  active: boolean;
  terms: string;
  onlyWith: string;
}

const NEW_NOTICE: TypedNotice = { id: null, name: '', severity: 'REVIEW', active: true, terms: '', onlyWith: '' };
const MOST_TERMS = 50;

function draftOf({ id, name, severity, active, terms, onlyWith }: TypedNotice): PolicyDraft | null {
  const notice = { name: name.trim(), severity, active, terms: readList(terms), onlyWith: readList(onlyWith) };
  const isWrong = [notice.terms, notice.onlyWith].some((list) => problemsOf(list, MOST_TERMS).length > 0);
  if (notice.name === '' || notice.terms.length === 0 || isWrong) return null;
  return id === null ? { addNotices: [notice] } : { changeNotices: [{ id, ...notice }] };
}

/** Required notices; a reviewer registers and changes them after a preview. */
export function NoticesPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  /** The form's initial content: a new notice, or the one being changed. */
  const [begun, setBegun] = useState(NEW_NOTICE);
  const [typed, setTyped] = useUnsentForm(begun.id === null ? 'notice' : `notice.${begun.id}`, begun);
  const [isRefused, setIsRefused] = useState(false);
  const [pending, setPending] = useState<PolicyDraft | null>(null);
  const mayChange = may('policy.change');
  const begin = (next: TypedNotice): void => {
    setBegun(next);
    setIsRefused(false);
    setPending(null);
  };
  return (
    <>
      <p className={parts['quiet']}>{text(mayChange ? 'notice.explained' : 'policy.notYourRole')}</p>
      <div className={mayChange ? classes['sides'] : undefined}>
        {mayChange && (
          <NoticeForm
            typed={typed}
            isRefused={isRefused}
            onChange={setTyped}
            onLetGo={() => {
              setTyped(null);
              begin(NEW_NOTICE);
            }}
            onPreview={() => {
              const draft = draftOf(typed);
              setIsRefused(draft === null);
              if (draft !== null) setPending(draft);
            }}
          />
        )}
        <div>
          {pending !== null && (
            <PublishChange
              draft={pending}
              isStale={JSON.stringify(draftOf(typed)) !== JSON.stringify(pending)}
              onDone={() => {
                setTyped(null);
                setBegun(NEW_NOTICE);
              }}
              onClose={() => setPending(null)}
            />
          )}
          <Loaded query={useQuery(queries.editedPolicy)}>
            {({ notices }) =>
              notices.length === 0 ? (
                <EmptyState title={text('notice.none')} />
              ) : (
                <DataTable
                  label={text('policy.notices')}
                  rows={notices}
                  idOf={({ id }) => id}
                  isQuiet={({ active }) => !active}
                  isCurrent={({ id }) => id === typed.id}
                  columns={[
                    { id: 'name', head: text('notice.name'), kind: 'name', lang: 'ko', render: ({ name }) => name },
                    {
                      id: 'severity',
                      head: text('notice.severity'),
                      render: ({ severity }) => <SeverityTag severity={severity} />,
                    },
                    { id: 'terms', head: text('notice.terms'), render: ({ terms }) => <Terms terms={terms} /> },
                    {
                      id: 'onlyWith',
                      head: text('notice.onlyWith'),
                      render: ({ onlyWith }) =>
                        onlyWith.length === 0 ? text('notice.always') : <Terms terms={onlyWith} />,
                    },
                    { id: 'state', head: text('policy.state'), render: ({ active }) => <StateTag active={active} /> },
                    mayChange
                      ? {
                          id: 'change',
                          head: text('policy.change'),
                          render: ({ terms, onlyWith, ...notice }) => (
                            <Button
                              variant="default"
                              size="compact-xs"
                              aria-label={text('policy.word.changeNamed', { word: notice.name })}
                              onClick={() =>
                                begin({ ...notice, terms: writeList(terms), onlyWith: writeList(onlyWith) })
                              }
                            >
                              {text('policy.word.change')}
                            </Button>
                          ),
                        }
                      : null,
                  ]}
                />
              )
            }
          </Loaded>
        </div>
      </div>
    </>
  );
}

interface NoticeFormProps {
  typed: TypedNotice;
  isRefused: boolean;
  onChange: (typed: TypedNotice) => void;
  onPreview: () => void;
  onLetGo: () => void;
}

function NoticeForm({ typed, isRefused, onChange, onPreview, onLetGo }: NoticeFormProps): ReactNode {
  const text = useText();
  const { id } = typed;
  const label = text(id === null ? 'notice.register' : 'notice.change');
  const lists = { terms: readList(typed.terms), onlyWith: readList(typed.onlyWith) };
  return (
    <RuleForm label={label} changedId={id} onPreview={onPreview} onLetGo={onLetGo}>
      <TextInput
        label={text('notice.name')}
        value={typed.name}
        maxLength={100}
        lang="ko"
        spellCheck={false}
        error={isRefused && typed.name.trim() === '' ? text('notice.name.missing') : null}
        onChange={(event) => onChange({ ...typed, name: event.currentTarget.value })}
      />
      <SeveritySelect
        label={text('notice.severity')}
        value={typed.severity}
        onChange={(severity) => onChange({ ...typed, severity })}
      />
      <Checkbox
        label={text('notice.active')}
        checked={typed.active}
        onChange={(event) => onChange({ ...typed, active: event.currentTarget.checked })}
      />
      {(['terms', 'onlyWith'] as const).map((field) => (
        <Textarea
          key={field}
          label={text(`notice.${field}`)}
          description={text(`notice.${field}.how`)}
          lang="ko"
          rows={2}
          autosize={false}
          spellCheck={false}
          value={typed[field]}
          error={isRefused && field === 'terms' && lists.terms.length === 0 ? text('notice.terms.missing') : null}
          onChange={(event) => onChange({ ...typed, [field]: event.currentTarget.value })}
        />
      ))}
      <div className={classes['asRead']} role="status">
        {(['terms', 'onlyWith'] as const).map((field) => (
          <div key={field}>
            {lists[field].length > 0 && (
              <>
                <p className={classes['quiet']}>{text(`notice.${field}`)}</p>
                <Terms terms={lists[field]} />
              </>
            )}
            <ListProblems field={text(`notice.${field}`)} problems={problemsOf(lists[field], MOST_TERMS)} />
          </div>
        ))}
      </div>
    </RuleForm>
  );
}
