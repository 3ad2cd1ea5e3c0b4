import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useErrorText } from '../../../shared/ui/parts/data-state.tsx';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import type { DossierSubject } from '../../api/client.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useMay } from '../../api/session-context.ts';
import { printedDossier } from '../../desktop/print-dossier.ts';
import { useText } from '../../i18n/use-text.ts';
import parts from '../parts/parts.module.css';

/**
 * Saves what is on record as one signed file for an inspector, and in the desktop program the print of its page beside
 * it; for the Tenant Admin alone.
 */
export function SaveDossier({ subject }: { subject: DossierSubject }): ReactNode {
  const text = useText();
  const may = useMay();
  const notify = useNotify();
  const describe = useErrorText();
  const { api } = useConsole();
  const [isBusy, setIsBusy] = useState(false);
  if (!may('dossier.make')) return null;
  async function save(): Promise<void> {
    setIsBusy(true);
    try {
      const name = nameOf(subject);
      const dossier = await api.makeDossier(subject);
      saveFile(`${name}.zip`, dossier);
      const pdf = await printedDossier(dossier);
      if (pdf !== null) saveFile(`${name}.pdf`, pdf);
      const names = { name: `${name}.zip`, pdf: `${name}.pdf` };
      notify({
        tone: 'good',
        glyph: 'approved',
        message: pdf === null ? text('dossier.saved', names) : text('dossier.saved.pdf', names),
      });
    } catch (error) {
      notify({ tone: 'bad', glyph: 'warning', message: describe(error) });
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <div>
      <Button variant="default" loading={isBusy} onClick={() => void save()}>
        {text('dossier.save')}
      </Button>
      <p className={parts['quiet']}>{text('dossier.about')}</p>
    </div>
  );
}

function nameOf(subject: DossierSubject): string {
  const of = 'explanation' in subject ? subject.explanation : `${subject.ticker}-${subject.from}`;
  return `dossier-${of.replaceAll(/[^\w-]/g, '_')}`;
}
