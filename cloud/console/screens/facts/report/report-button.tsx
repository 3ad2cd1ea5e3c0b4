import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useContext, useState, type ReactNode } from 'react';
import { saveFile } from '../../../../../shared/ui/parts/save-file.ts';
import { useLanguagePreference } from '../../../../../shared/ui/theme/preferences.ts';
import { ClockContext } from '../../../../../shared/ui/time/use-now.ts';
import type { TaskImpact } from '../../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../../api/operator-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import type { ReadFacts } from '../../../rules/rule.ts';
import { useSentence } from '../values/fact-names.ts';
import { reportNameOf, writeReport } from './incident-report.ts';
import { tasksWithEffects } from './report-effects.ts';
import type { ShownFacts } from '../values/sides.ts';
import type { NamedVerdict } from '../values/verdict-keys.ts';

export interface ReportButtonProps {
  shown: ShownFacts;
  previous: ReadFacts | null;
  verdicts: readonly NamedVerdict[];
  /** This console's address of the same day. */
  address: string;
}

/** The most failed tasks for which a report lists the effects. */
const MOST_IMPACTS = 20;

/** Saves the day as a report: every verdict, regardless of the list's filter. */
export function ReportButton({ shown: { facts, file }, previous, verdicts, address }: ReportButtonProps): ReactNode {
  const text = useText();
  const sentenceOf = useSentence();
  const [language] = useLanguagePreference();
  const clock = useContext(ClockContext);
  const readImpacts = useImpacts();
  const [isReading, setReading] = useState(false);
  const save = async (): Promise<void> => {
    setReading(true);
    const impacts = file === null ? await readImpacts(facts) : null;
    setReading(false);
    const reported = {
      facts,
      previous,
      verdicts: verdicts.map(({ verdict }) => verdict),
      impacts,
      file,
      address: file === null ? new URL(address, location.href).href : null,
      at: clock.now(),
    };
    const page = writeReport(reported, { language, text, sentenceOf });
    saveFile(reportNameOf(facts), new Blob([page], { type: 'text/html;charset=utf-8' }));
  };
  return (
    <Button size="xs" variant="default" loading={isReading} onClick={() => void save()}>
      {text('report.save')}
    </Button>
  );
}

/** The effects of the tasks that failed, not of those that waited for them. Null: unreadable, as the report says. */
function useImpacts(): (facts: ReadFacts) => Promise<readonly TaskImpact[] | null> {
  const client = useQueryClient();
  const { queries } = useOperator();
  return async ({ failures }) => {
    if (failures === undefined) return null;
    const failed = tasksWithEffects(failures).map(({ runKey, taskKey }) => queries.taskImpact(runKey, taskKey));
    try {
      return await Promise.all(failed.slice(0, MOST_IMPACTS).map((query) => client.query(query)));
    } catch {
      return null;
    }
  };
}
