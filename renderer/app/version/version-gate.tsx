import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { FILE_LACKS } from '../../../shared/ui/parts/error-boundary.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { SESSION_KEY } from '../../../shared/ui/session/session-queries.ts';
import type { Difference } from '../../../shared/wire/version.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './version.module.css';
import type { VersionWatch } from './version-watch.ts';

/** The version difference for which this window has already reloaded. */
const LOADED_KEY = 'causeway.loadedFor';

export interface VersionGateProps {
  versions: VersionWatch;
  children: ReactNode;
}

/** Reports that page and API are incompatible. The screen behind stays as it is, with unsaved text. */
export function VersionGate({ versions, children }: VersionGateProps): ReactNode {
  const client = useQueryClient();
  const { difference } = useSyncExternalStore(
    useCallback((listener: () => void) => versions.subscribe(listener), [versions]),
    () => versions.state,
  );
  useEffect(() => {
    const lacks = (): void => {
      versions.lackFile();
      // The next answer shows whether another version removed the files.
      void client.invalidateQueries({ queryKey: SESSION_KEY });
    };
    window.addEventListener(FILE_LACKS, lacks);
    return () => window.removeEventListener(FILE_LACKS, lacks);
  }, [client, versions]);
  return (
    <>
      {children}
      {versions.isOver && difference !== null && <OtherVersion difference={difference} />}
    </>
  );
}

/** A dialog above everything; a user who wants to copy text can go back behind it. */
function OtherVersion({ difference }: { difference: Difference }): ReactNode {
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAside, setIsAside] = useState(false);
  const { own, theirs, older } = difference;
  const pair = `${own} ${theirs}`;
  const [isInVain] = useState(() => sessionStorage.getItem(LOADED_KEY) === pair);
  const loadAnew = (): void => {
    sessionStorage.setItem(LOADED_KEY, pair);
    window.location.reload();
  };
  useEffect(() => {
    const shown = dialog.current;
    if (shown === null || isAside) return;
    // Makes everything else inert, including open dialogs of the screens behind.
    shown.showModal();
    return () => shown.close();
  }, [isAside]);
  if (isAside) {
    return (
      <div className={classes['strip']} role="alert">
        <Glyph name="warning" />
        <span>{text('version.strip')}</span>
        <Button size="compact-sm" onClick={loadAnew}>
          {text('version.load')}
        </Button>
      </div>
    );
  }
  return (
    <dialog
      ref={dialog}
      className={classes['screen']}
      aria-labelledby="other-version"
      onCancel={(event) => {
        event.preventDefault();
        setIsAside(true);
      }}
    >
      <div className={classes['words']}>
        <h1 id="other-version">{text('version.title')}</h1>
        <p>{text(older === 'OWN' ? 'version.pageOlder' : 'version.apiOlder', { own, theirs })}</p>
        <p>{text(isInVain ? 'version.inVain' : 'version.advice')}</p>
        <p>{text('version.kept')}</p>
        <div className={classes['buttons']}>
          <Button onClick={loadAnew}>{text('version.load')}</Button>
          <Button variant="default" onClick={() => setIsAside(true)}>
            {text('version.aside')}
          </Button>
        </div>
      </div>
    </dialog>
  );
}

/** One muted line: the version of this page, and that of the API if it differs. */
export function VersionLine({ versions }: { versions: VersionWatch }): ReactNode {
  const text = useText();
  const { own } = versions;
  const { api } = versions.state;
  return (
    <p className={classes['line']}>
      {api === null || api === own ? text('version.line', { own }) : text('version.line.both', { own, api })}
    </p>
  );
}
