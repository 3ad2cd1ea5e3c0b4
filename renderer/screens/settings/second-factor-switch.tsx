import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import type { SecondFactorSetting } from '../../../shared/wire/console/second-factor.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import { useChange } from '../../components/parts/use-change.ts';
import classes from './settings.module.css';

/** Whether reviewers who log in by password need a second factor. */
export function SecondFactorSwitch(): ReactNode {
  const text = useText();
  const { api, queries } = useConsole();
  const change = useChange(
    (setting: SecondFactorSetting) => api.askSecondFactor(setting, !setting.reviewers),
    text('factor.setting.saved'),
  );
  return (
    <Loaded query={useQuery(queries.secondFactorSetting)}>
      {(setting) => (
        <div className={classes['switch']}>
          <Checkbox
            label={text('factor.setting')}
            description={text('factor.setting.note')}
            checked={setting.reviewers}
            disabled={change.isPending}
            onChange={() => change.mutate(setting)}
          />
          <ChangeError error={change.error} />
        </div>
      )}
    </Loaded>
  );
}
