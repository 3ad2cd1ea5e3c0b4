import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../../../shared/ui/parts/data-state.tsx';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import classes from './review.module.css';

/**
 * The notice published beside the approved text (D20); warns if it is missing, since the text would go out without one.
 */
export function DisclaimerNote(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <Loaded query={useQuery(queries.disclaimer)}>
      {({ disclaimer, policyVersion }) =>
        disclaimer === null || disclaimer.trim() === '' ? (
          <Tag tone="bad" glyph="warning">
            {text('review.disclaimer.missing')}
          </Tag>
        ) : (
          <p className={classes['disclaimer']}>
            <span lang="ko">{disclaimer}</span>{' '}
            {policyVersion !== null && <span>({text('policy.version', { version: policyVersion })})</span>}
          </p>
        )
      }
    </Loaded>
  );
}
