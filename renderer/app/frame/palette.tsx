import { useQuery } from '@tanstack/react-query';
import { useMantineColorScheme } from '@mantine/core';
import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { LANGUAGE_NAMES, LANGUAGES } from '../../../shared/ui/i18n/languages.ts';
import { Dialog } from '../../../shared/ui/parts/dialog.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { useLanguagePreference } from '../../../shared/ui/theme/preferences.ts';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import type { Screen } from './screens.ts';
import { useText } from '../../i18n/use-text.ts';
import { matching, ranked, stepped, type PaletteEntry } from './palette-entries.ts';
import classes from './palette.module.css';

const KEYS = 'Ctrl K';
/** So many explanations are offered at once. */
const FOUND = 8;

export interface PaletteProps {
  screens: readonly Screen[];
  onLogOut: () => void;
}

/** Ctrl+K, by the place of the key, from anywhere: a screen, an explanation by ticker, name or text, something to do. */
export function Palette(props: PaletteProps): ReactNode {
  const text = useText();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.code !== 'KeyK' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!event.repeat) setIsOpen((before) => !before);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <button type="button" className={classes['opener']} onClick={() => setIsOpen(true)} aria-keyshortcuts="Control+K">
        <Glyph name="search" /> {text('palette.open')} <kbd aria-hidden="true">{KEYS}</kbd>
      </button>
      <Dialog opened={isOpen} title={text('palette.title')} size="lg" onClose={() => setIsOpen(false)}>
        <PaletteBody {...props} onDone={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function PaletteBody({ screens, onLogOut, onDone }: PaletteProps & { onDone: () => void }): ReactNode {
  const text = useText();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const entries = matching(useEntries(screens, onLogOut, typed), typed);
  const current = entries[Math.min(at, entries.length - 1)];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);

  function choose(entry: PaletteEntry | undefined): void {
    if (entry === undefined) return;
    onDone();
    entry.run();
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setAt(stepped(Math.min(at, entries.length - 1), event.key === 'ArrowDown' ? 1 : -1, entries.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(current);
    }
  }

  return (
    <>
      <input
        className={classes['input']}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
        aria-label={text('palette.title')}
        placeholder={text('palette.placeholder')}
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} className={classes['list']} role="listbox" aria-label={text('palette.results')}>
        {entries.map((entry) => (
          // The field above keeps the focus, and its keys choose.
          <div
            key={entry.id}
            id={`${listId}-${entry.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={entry.id === current?.id}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(entry);
            }}
          >
            <span>{entry.label}</span>
            <span className={classes['note']}>{entry.note}</span>
          </div>
        ))}
      </div>
      <p className={classes['hint']} role="status">
        {entries.length === 0 ? text('palette.nothing') : text('palette.hint', { count: entries.length })}
      </p>
    </>
  );
}

/** Everything that can be chosen, in the order in which it is offered. */
function useEntries(screens: readonly Screen[], onLogOut: () => void, typed: string): PaletteEntry[] {
  const text = useText();
  const [, navigate] = useLocation();
  const { queries } = useConsole();
  const [language, setLanguage] = useLanguagePreference();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const asked = useDeferredValue(typed.trim());
  const found = useQuery({
    ...queries.explanations({ page: 1, size: FOUND, q: asked, sort: 'newest' }),
    enabled: asked !== '',
  }).data;
  const mayReview = screens.some(({ href }) => href === '/review');
  const placeOf = ({ id, status }: ExplanationItem): string =>
    `/${mayReview && status === 'PENDING_REVIEW' ? 'review' : 'explanations'}/${encodeURIComponent(id)}`;
  const command = (id: string, label: string, note: string, run: () => void): PaletteEntry => ({
    id,
    kind: 'command',
    label,
    note,
    run,
  });
  return [
    ...(asked === '' ? [] : ranked(found?.items ?? [], asked)).map((item): PaletteEntry => ({
      id: `explanation-${item.id}`,
      kind: 'explanation',
      label: `${item.etf_ticker} ${item.etf_name}`,
      note: `${item.trade_date} · ${text(`status.${item.status}`)}`,
      run: () => navigate(placeOf(item)),
    })),
    ...screens.map(({ href, label }): PaletteEntry => ({
      id: `screen-${href.slice(1)}`,
      kind: 'screen',
      label: text(label),
      note: text('palette.screen'),
      run: () => navigate(href),
    })),
    ...LANGUAGES.filter((one) => one !== language).map((one) =>
      command(`language-${one}`, LANGUAGE_NAMES[one], text('display.language'), () => setLanguage(one)),
    ),
    ...(['light', 'dark', 'auto'] as const)
      .filter((one) => one !== colorScheme)
      .map((one) =>
        command(`theme-${one}`, text(`display.theme.${one}`), text('display.theme'), () => setColorScheme(one)),
      ),
    command('log-out', text('login.logout'), '', onLogOut),
  ];
}
