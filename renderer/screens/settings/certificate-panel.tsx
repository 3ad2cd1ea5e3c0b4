import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Facts, Panel } from '../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { CertificateView, SyncCertificate, SyncReconnected } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ConfirmButton } from '../../components/parts/confirm-button.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useMay } from '../../api/session-context.ts';
import { RelayError, ReplaceCertificate } from './replace-certificate.tsx';
import classes from './settings.module.css';

/**
 * The certificate that the relay presents to the cloud: shows it, tests the connection, replaces it, restores the
 * earlier one.
 */
export function CertificatePanel(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <Panel title={text('certificate.title')}>
      <Loaded query={useQuery(queries.certificate)}>{(view) => <Certificate view={view} />}</Loaded>
    </Panel>
  );
}

function Certificate({ view }: { view: CertificateView }): ReactNode {
  const text = useText();
  const may = useMay();
  const { certificate } = view;
  return (
    <>
      {view.relay !== 'OK' && <p className={parts['quiet']}>{text(`certificate.relay.${view.relay}`)}</p>}
      {view.problem !== null && (
        <p className={parts['quiet']} lang="en">
          {view.problem}
        </p>
      )}
      {certificate !== null && <CertificateFacts certificate={certificate} />}
      {may('sync.manage') ? (
        view.relay === 'OK' && <Management />
      ) : (
        <p className={parts['quiet']}>{text('certificate.notYourRole')}</p>
      )}
    </>
  );
}

function CertificateFacts({ certificate }: { certificate: SyncCertificate }): ReactNode {
  const text = useText();
  const { daysToExpiry } = certificate;
  return (
    <Facts
      rows={[
        [text('certificate.subject'), <code key="s">{certificate.subject}</code>],
        [text('certificate.issuer'), <code key="i">{certificate.issuer}</code>],
        [text('certificate.validFrom'), <KstTime key="f" at={certificate.validFrom} />],
        [text('certificate.validTo'), <KstTime key="t" at={certificate.validTo} />],
        [
          text('certificate.left'),
          daysToExpiry < 0 ? text('certificate.expired') : text('certificate.days', { days: daysToExpiry }),
        ],
        [text('certificate.fingerprint'), <code key="p">{certificate.fingerprint}</code>],
      ]}
    />
  );
}

/** The last event, and its certificate. */
interface Outcome {
  what: 'reconnected' | 'replaced' | 'returned';
  certificate: SyncCertificate;
  probe: SyncReconnected['probe'];
}

function Management(): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [isReplacing, setIsReplacing] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const reconnect = useChange(async () => setOutcome({ what: 'reconnected', ...(await api.reconnect()) }), null);
  const goBack = useChange(
    async () => setOutcome({ what: 'returned', ...(await api.returnToPreviousCertificate()) }),
    null,
  );
  const isBusy = reconnect.isPending || goBack.isPending;
  return (
    <div className={classes['management']}>
      <div className={parts['buttons']}>
        <Button
          variant="default"
          loading={reconnect.isPending}
          disabled={isBusy}
          onClick={() => {
            setOutcome(null);
            goBack.reset();
            reconnect.mutate(undefined);
          }}
        >
          {text('certificate.reconnect')}
        </Button>
        {!isReplacing && (
          <Button variant="default" disabled={isBusy} onClick={() => setIsReplacing(true)}>
            {text('certificate.replace')}
          </Button>
        )}
        <ConfirmButton
          label={text('certificate.goBack')}
          named={text('certificate.goBack')}
          isDestructive={false}
          size="xs"
          isBusy={goBack.isPending}
          onConfirm={() => {
            setOutcome(null);
            reconnect.reset();
            goBack.mutate(undefined);
          }}
        />
      </div>
      <RelayError error={reconnect.error ?? goBack.error} />
      {outcome !== null && <OutcomeNote outcome={outcome} />}
      {isReplacing && (
        <ReplaceCertificate
          onReplaced={(installed) => {
            setOutcome({ what: 'replaced', ...installed });
            setIsReplacing(false);
          }}
          onClose={() => setIsReplacing(false)}
        />
      )}
    </div>
  );
}

/** The cloud's answer to a request with the certificate; announced, because it comes after a wait. */
function OutcomeNote({ outcome: { what, certificate, probe } }: { outcome: Outcome }): ReactNode {
  const text = useText();
  const isGood = probe.outcome === 'ACCEPTED';
  return (
    <div className={parts['note']} data-tone={isGood ? 'good' : 'bad'} role="status">
      <Glyph name={isGood ? 'tick' : 'warning'} />
      <div>
        <p>
          {text(`certificate.done.${what}`, { subject: certificate.subject })} {text(`probe.${probe.outcome}`)}
        </p>
        <p className={parts['quiet']}>
          <KstTime at={probe.at} precision="second" /> · {text('probe.ms', { ms: probe.ms })}
          {probe.status !== null && ` · HTTP ${probe.status}`}
          {probe.code !== null && ` ${probe.code}`}
        </p>
        {!isGood && <p lang="en">{probe.message}</p>}
      </div>
    </div>
  );
}
