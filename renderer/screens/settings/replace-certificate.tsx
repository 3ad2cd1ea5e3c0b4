import { Button, Checkbox, FileButton, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ApiProblem } from '../../../shared/ui/http/request.ts';
import { ChangeFailure } from '../../../shared/ui/session/change-failure.tsx';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { SyncCertificateInstalled } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import { useChange } from '../../components/parts/use-change.ts';
import classes from './settings.module.css';

/** File types of a certificate; PEM is text under any extension. */
const FILES = '.pem,.crt,.cer,.txt';

export interface ReplaceCertificateProps {
  onReplaced: (installed: SyncCertificateInstalled) => void;
  onClose: () => void;
}

/**
 * Replaces the certificate in two steps (D17, D29): a request, whose key never leaves the relay, for the vendor to
 * sign; then the issued certificate. The relay tests it before using it, and keeps the earlier one on any error.
 */
export function ReplaceCertificate({ onReplaced, onClose }: ReplaceCertificateProps): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [certificate, setCertificate] = useState('');
  const [hasKey, setHasKey] = useState(false);
  const [key, setKey] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const request = useChange(() => api.requestCertificate(), null);
  const replace = useChange(
    async () => onReplaced(await api.replaceCertificate({ certificate, ...(hasKey ? { key } : {}) })),
    null,
  );
  const isWhole = certificate.trim() !== '' && (!hasKey || key.trim() !== '');
  return (
    <OpenForm
      className={classes['replace']}
      label={text('certificate.replace')}
      onSend={() => {
        setIsMissing(!isWhole);
        if (isWhole) replace.mutate(undefined);
      }}
    >
      <h4>{text('certificate.step.request')}</h4>
      <p className={parts['quiet']}>{text('certificate.request.note')}</p>
      <RelayError error={request.error} />
      {request.data === undefined ? (
        <Button variant="default" loading={request.isPending} onClick={() => request.mutate(undefined)}>
          {text('certificate.request.make')}
        </Button>
      ) : (
        <>
          <Textarea
            label={text('certificate.request')}
            value={request.data.request}
            readOnly
            rows={6}
            classNames={{ input: classes['pem'] ?? '' }}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button
            variant="default"
            onClick={() => saveFile('relay.csr', new Blob([request.data.request], { type: 'application/x-pem-file' }))}
          >
            {text('certificate.request.save')}
          </Button>
        </>
      )}
      <h4>{text('certificate.step.install')}</h4>
      <p className={parts['quiet']}>{text('certificate.install.note')}</p>
      <Textarea
        label={text('certificate.pem')}
        value={certificate}
        rows={6}
        spellCheck={false}
        classNames={{ input: classes['pem'] ?? '' }}
        error={isMissing && certificate.trim() === '' ? text('certificate.pem.missing') : null}
        onChange={(event) => setCertificate(event.currentTarget.value)}
      />
      <FileButton accept={FILES} onChange={(file) => void file?.text().then(setCertificate)}>
        {(props) => (
          <Button variant="default" {...props}>
            {text('certificate.file')}
          </Button>
        )}
      </FileButton>
      <Checkbox
        label={text('certificate.hasKey')}
        checked={hasKey}
        onChange={(event) => {
          setHasKey(event.currentTarget.checked);
          setKey('');
        }}
      />
      {hasKey && (
        <Textarea
          label={text('certificate.key')}
          value={key}
          rows={4}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: classes['pem'] ?? '' }}
          error={isMissing && key.trim() === '' ? text('certificate.key.missing') : null}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      )}
      <RelayError error={replace.error} />
      <div className={parts['buttons']}>
        <Button type="submit" loading={replace.isPending}>
          {text('certificate.install')}
        </Button>
        <Button variant="default" disabled={replace.isPending} onClick={onClose}>
          {text('policy.cancel')}
        </Button>
      </div>
    </OpenForm>
  );
}

/** Why the relay did not do it: its own sentence names the failed step and the certificate in use. */
export function RelayError({ error }: { error: Error | null }): ReactNode {
  const text = useText();
  if (error === null) return null;
  const isOfRelay = error instanceof ApiProblem && [400, 409, 503].includes(error.status);
  if (!isOfRelay) return <ChangeFailure error={error} className={parts['note']} />;
  return (
    <div className={parts['note']} data-tone="bad" role="alert">
      <Glyph name="warning" />
      <p>
        {text('certificate.notDone')} <span lang="en">{error.message}</span>
      </p>
    </div>
  );
}
