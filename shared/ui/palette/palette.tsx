/** The palette of both consoles: Ctrl+K, by the physical key, from anywhere. */
import { useMantineColorScheme } from '@mantine/core';
import {
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { useLocation } from 'wouter';
import type { NavigationItem } from '../frame/frame.tsx';
import { capOf } from '../keys/chosen-keys.ts';
import type { Act } from '../keys/key-rest.ts';
import { useKeyRest } from '../keys/takes-keys.tsx';
import { LANGUAGE_NAMES, LANGUAGES } from '../i18n/languages.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import { useLanguagePreference } from '../theme/preferences.ts';
import { commandEntry, matching, stepped, type PaletteEntry } from './entries.ts';
import classes from './palette.module.css';

const KEYS = 'Ctrl K';

export interface FoundProps {
  /** Trimmed; the server is not asked for an empty text. */
  typed: string;
  children: (found: readonly PaletteEntry[]) => ReactNode;
}

export interface PaletteProps {
  title: string;
  /** Says what can be typed. */
  placeholder: string;
  screens: readonly Pick<NavigationItem, 'href' | 'query' | 'label'>[];
  /** Commands of this console. */
  commands?: readonly PaletteEntry[];
  /** What the palette offers of what the screen's keys do: their names by action, in this order. */
  acts?: Readonly<Record<string, string>>;
  /** Renders the entries that the server finds for the typed text. */
  Found: ComponentType<FoundProps>;
  onLogOut: () => void;
}

export function Palette(props: PaletteProps): ReactNode {
  const text = useSharedText();
  const keys = useKeyRest();
  /** What the screen's keys did when the palette opened; null while it is closed. */
  const [acts, setActs] = useState<readonly PaletteEntry[] | null>(null);
  const begin = (): void => setActs(entriesOf(keys.acts(), props.acts ?? {}));
  const toggle = useEffectEvent(() => (acts === null ? begin() : setActs(null)));
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.code !== 'KeyK' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!event.repeat) toggle();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <button type="button" className={classes['opener']} onClick={begin} aria-keyshortcuts="Control+K">
        <Glyph name="search" /> {text('palette.open')} <kbd aria-hidden="true">{KEYS}</kbd>
      </button>
      <Dialog opened={acts !== null} title={props.title} size="lg" onClose={() => setActs(null)}>
        <PaletteBody {...props} offered={acts ?? []} onDone={() => setActs(null)} />
      </Dialog>
    </>
  );
}

/** Each act once, by its first key. */
function entriesOf(acts: readonly Act[], labels: Readonly<Record<string, string>>): PaletteEntry[] {
  return Object.entries(labels).flatMap(([action, label]): PaletteEntry[] => {
    const act = acts.find((one) => one.action === action);
    return act === undefined
      ? []
      : [{ id: `act-${action}`, kind: 'act', label, note: capOf(act.code) ?? '', run: act.run }];
  });
}

type BodyProps = Omit<PaletteProps, 'acts'> & { offered: readonly PaletteEntry[]; onDone: () => void };

/** Starts with an empty text each time that it opens. */
function PaletteBody({ Found, ...props }: BodyProps): ReactNode {
  const [typed, setTyped] = useState('');
  return (
    <Found typed={useDeferredValue(typed.trim())}>
      {(found) => <Finder {...props} found={found} typed={typed} onTyped={setTyped} />}
    </Found>
  );
}

interface FinderProps extends Omit<BodyProps, 'Found'> {
  found: readonly PaletteEntry[];
  typed: string;
  onTyped: (typed: string) => void;
}

function Finder(props: FinderProps): ReactNode {
  const { title, placeholder, screens, commands = [], offered, found, typed, onTyped, onLogOut, onDone } = props;
  const text = useSharedText();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const entries = matching([...offered, ...found, ...useFixed(screens, commands, onLogOut)], typed);
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
        aria-label={title}
        placeholder={placeholder}
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={(event) => {
          onTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} className={classes['list']} role="listbox" aria-label={text('palette.results')}>
        {entries.map((entry) => (
          // The field above keeps the focus, and its keys move the choice.
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

/** Screens and commands, after the server's finds. */
function useFixed(
  screens: PaletteProps['screens'],
  commands: readonly PaletteEntry[],
  onLogOut: () => void,
): PaletteEntry[] {
  const text = useSharedText();
  const [, navigate] = useLocation();
  const [language, setLanguage] = useLanguagePreference();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return [
    ...screens.map(({ href, query = '', label }): PaletteEntry => ({
      id: `screen-${href.slice(1)}`,
      kind: 'screen',
      label,
      note: text('palette.screen'),
      run: () => navigate(`${href}${query}`),
    })),
    ...LANGUAGES.filter((one) => one !== language).map((one) =>
      commandEntry(`language-${one}`, LANGUAGE_NAMES[one], text('display.language'), () => setLanguage(one)),
    ),
    ...(['light', 'dark', 'auto'] as const)
      .filter((one) => one !== colorScheme)
      .map((one) =>
        commandEntry(`theme-${one}`, text(`display.theme.${one}`), text('display.theme'), () => setColorScheme(one)),
      ),
    ...commands,
    commandEntry('log-out', text('login.logout'), '', onLogOut),
  ];
}
