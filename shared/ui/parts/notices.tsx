/** Short messages about the last event, announced once by assistive technology and removed after a while. */
import { CloseButton } from '@mantine/core';
import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import type { Tone } from './badge.tsx';
import { Glyph, type GlyphName } from './glyphs.tsx';
import classes from './notices.module.css';

interface Notice {
  id: number;
  tone: Tone;
  glyph: GlyphName;
  message: string;
}

/** Shows a message in place of the one before it; null removes the message. */
export type Notify = (notice: { tone: Tone; glyph: GlyphName; message: string } | null) => void;

const NotifyContext = createContext<Notify | null>(null);
const SHOWN_MS = 10_000;

export function NoticeProvider({ children }: { children: ReactNode }): ReactNode {
  const text = useSharedText();
  const [notice, setNotice] = useState<Notice | null>(null);
  const notify = useCallback<Notify>((next) => {
    setNotice((current) => (next === null ? null : { ...next, id: (current?.id ?? 0) + 1 }));
  }, []);
  useEffect(() => {
    if (notice === null) return;
    const timer = setTimeout(() => setNotice(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <NotifyContext value={notify}>
      {children}
      <section className={classes['region']} aria-label={text('notice.region')}>
        <div role="status" aria-live="polite" aria-atomic="true">
          {notice !== null && (
            <div key={notice.id} className={classes['notice']} data-tone={notice.tone}>
              <Glyph name={notice.glyph} />
              <span>{notice.message}</span>
              <CloseButton aria-label={text('notice.close')} onClick={() => setNotice(null)} />
            </div>
          )}
        </div>
      </section>
    </NotifyContext>
  );
}

export function useNotify(): Notify {
  const notify = useContext(NotifyContext);
  if (notify === null) throw new TypeError('useNotify needs a NoticeProvider above it.');
  return notify;
}
