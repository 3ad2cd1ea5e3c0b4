import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, type ReactNode } from 'react';
import { fromConsole } from '../../../shared/evidence/evidence.ts';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { ExplanationDetail } from '../../../shared/wire/console/console.ts';
import { ActionForm } from '../../components/actions/action-form.tsx';
import { ACTION_RULES, OPERATIONS } from '../../components/actions/actions.ts';
import { hasMovedOn, MovedOn } from '../../components/actions/changed-meanwhile.tsx';
import { suggestedReason } from '../../components/actions/suggested-reason.ts';
import { useDraft } from '../../components/actions/use-draft.ts';
import type { Send } from '../../components/actions/use-send.ts';
import { useConsole } from '../../api/console-context.tsx';
import { factsOf } from '../../../shared/evidence/facts.ts';
import { checkFigures } from '../../../shared/evidence/support.ts';
import { useText } from '../../i18n/use-text.ts';
import { useNeedsTwo } from '../../components/parts/use-needs-two.ts';
import { useMay } from '../../api/session-context.ts';
import classes from './explanations.module.css';
import { ServedBy } from './served-by.tsx';

/** The role's actions on an explanation after the fact, or why there is none. */
export function OperationPlace({ item, send }: { item: ExplanationDetail; send: Send }): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  // A correction starts from the exposed text.
  const handle = useDraft('operation', { ...item, summary: item.published_summary ?? item.summary });
  const facts = useMemo(() => factsOf(item, item.evidences.map(fromConsole)), [item]);
  const figuresOf = useCallback((shown: string) => checkFigures(shown, [item.etf_name], facts), [item.etf_name, facts]);
  // Its checks are shown above, on the same page.
  const checks = useQuery(queries.reviewItem(item.id)).data?.checks;
  const suggested = useMemo(
    () => (checks === undefined ? null : suggestedReason(checks, figuresOf(item.published_summary ?? item.summary))),
    [checks, figuresOf, item],
  );
  const { draft } = handle;
  const needsTwo = useNeedsTwo();
  const granted = OPERATIONS.filter((operation) => may(ACTION_RULES[operation].permission));
  if (granted.length === 0) return <p className={classes['noOperation']}>{text('board.notYourRole')}</p>;

  const isOperation = draft !== null && draft.isOpen && OPERATIONS.some((operation) => operation === draft.action);
  const isOnItsWay = send.isPending && send.variables.itemId === item.id;
  if (isOperation && hasMovedOn(draft, item) && !isOnItsWay)
    return <MovedOn draft={draft} item={item} handle={handle} />;
  if (isOperation) {
    return (
      <ActionForm
        key={draft.action}
        kind="operation"
        itemId={item.id}
        itemName={`${item.etf_ticker} ${item.etf_name}`}
        draft={draft}
        handle={handle}
        send={send}
        caret={0}
        figuresOf={figuresOf}
        suggested={suggested}
        note={draft.action === 'stop' && <ServedBy served={item.served} />}
      />
    );
  }
  const isOffered = { correct: !needsTwo, stop: true, 'move-to-review': true, unblock: item.canUnblock };
  const possible = granted.filter(
    (operation) => ACTION_RULES[operation].from.includes(item.status) && isOffered[operation],
  );
  if (possible.length === 0) {
    return (
      <p className={classes['noOperation']}>{text('board.noOperation', { status: text(`status.${item.status}`) })}</p>
    );
  }
  return (
    <div className={classes['operations']} role="group" aria-label={text('board.operations')}>
      {possible.map((operation) => (
        <Button
          key={operation}
          variant="default"
          leftSection={
            <span data-tone={ACTION_RULES[operation].tone} className={classes['sign']}>
              <Glyph name={ACTION_RULES[operation].glyph} />
            </span>
          }
          onClick={() => handle.open(operation)}
        >
          {text(`action.${operation}.confirm`)}
        </Button>
      ))}
      {needsTwo && granted.includes('correct') && ACTION_RULES.correct.from.includes(item.status) && (
        <p className={classes['quiet']}>{text('fourEyes.noCorrection')}</p>
      )}
    </div>
  );
}
