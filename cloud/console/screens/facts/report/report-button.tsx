import { Button } from '@mantine/core';
import { useContext, type ReactNode } from 'react';
import { saveFile } from '../../../../../shared/ui/parts/save-file.ts';
import { useLanguagePreference } from '../../../../../shared/ui/theme/preferences.ts';
import { ClockContext } from '../../../../../shared/ui/time/use-now.ts';
import { useText } from '../../../i18n/use-text.ts';
import type { ReadFacts } from '../../../rules/rule.ts';
import { useSentence } from '../values/fact-names.ts';
import { reportNameOf, writeReport } from './incident-report.ts';
import type { ShownFacts } from '../values/sides.ts';
import type { NamedVerdict } from '../values/verdict-keys.ts';

export interface ReportButtonProps {
  shown: ShownFacts;
  previous: ReadFacts | null;
  verdicts: readonly NamedVerdict[];
  /** Where the same day is seen in this console. */
  address: string;
}

/** Saves the day as a report for others: every verdict, whatever of them is listed. */
export function ReportButton({ shown: { facts, file }, previous, verdicts, address }: ReportButtonProps): ReactNode {
  const text = useText();
  const sentenceOf = useSentence();
  const [language] = useLanguagePreference();
  const clock = useContext(ClockContext);
  const save = (): void => {
    const reported = {
      facts,
      previous,
      verdicts: verdicts.map(({ verdict }) => verdict),
      file,
      address: file === null ? new URL(address, location.href).href : null,
      at: clock.now(),
    };
    const page = writeReport(reported, { language, text, sentenceOf });
    saveFile(reportNameOf(facts), new Blob([page], { type: 'text/html;charset=utf-8' }));
  };
  return (
    <Button size="xs" variant="default" onClick={save}>
      {text('report.save')}
    </Button>
  );
}
