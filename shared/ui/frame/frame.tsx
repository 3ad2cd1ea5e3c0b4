/** The frame around every screen: a head, the navigation, and the place where the screen stands. */
import { Button, VisuallyHidden } from '@mantine/core';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSharedText } from '../i18n/use-text.ts';
import { focusMain } from '../keys/lost-focus.ts';
import { TakesKeys } from '../keys/takes-keys.tsx';
import { Glyph, type GlyphName } from '../parts/glyphs.tsx';
import { useSwitch } from '../theme/preferences.ts';
import classes from './frame.module.css';

export interface NavigationItem {
  href: string;
  /** Query of the link, with its question mark; absent for the plain view. */
  query?: string;
  label: string;
  /** Stands for it in a folded navigation; a navigation without them does not fold. */
  glyph?: GlyphName;
  /** The heading of its group in the navigation. */
  group?: string;
  /** A number beside the label and its meaning, for instance the waiting items. */
  count?: { value: number; label: string };
}

export interface FrameProps {
  navigation: readonly NavigationItem[];
  navigationLabel: string;
  /** At the left of the head: the state of the reception. */
  status: ReactNode;
  /** Below the head while a problem concerns every screen. */
  notice?: ReactNode;
  /** At the right of the head: menus. */
  menus: ReactNode;
  children: ReactNode;
}

export function Frame({ navigation, navigationLabel, status, notice, menus, children }: FrameProps): ReactNode {
  const text = useSharedText();
  const navId = useId();
  const nav = useRef<HTMLElement>(null);
  const fold = useRef<HTMLButtonElement>(null);
  const [location] = useLocation();
  /** Path at which the navigation was unfolded: a move elsewhere folds it again. Only used in a narrow window. */
  const [unfoldedAt, setUnfoldedAt] = useState<string | null>(null);
  const isUnfolded = unfoldedAt === location;
  const [isWide, setIsWide] = useSwitch('wide-navigation');
  const folds = navigation.every(({ glyph }) => glyph !== undefined);
  const lastLocation = useRef(location);
  useEffect(() => {
    const isArrival = lastLocation.current === '/' || lastLocation.current === location;
    lastLocation.current = location;
    if (!isArrival) focusMain();
  }, [location]);
  useEffect(() => {
    const element = nav.current;
    if (!isUnfolded || element === null) return;
    element.querySelector('a')?.focus();
    const close = (): void => setUnfoldedAt(null);
    const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
      const next = relatedTarget instanceof Node ? relatedTarget : null;
      if (next !== fold.current && !element.contains(next)) close();
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      close();
      fold.current?.focus();
    };
    window.addEventListener('resize', close);
    element.addEventListener('focusout', onFocusOut);
    element.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('resize', close);
      element.removeEventListener('focusout', onFocusOut);
      element.removeEventListener('keydown', onKeyDown);
    };
  }, [isUnfolded]);
  return (
    <div className={classes['frame']} data-icons={(folds && !isWide) || undefined}>
      <a className={classes['skip']} href="#main">
        {text('skip.main')}
      </a>
      <header className={classes['head']}>
        <Button
          ref={fold}
          className={classes['fold'] ?? ''}
          variant="default"
          size="compact-sm"
          aria-expanded={isUnfolded}
          aria-controls={navId}
          rightSection={<Glyph name="chevron" size={10} />}
          onClick={() => setUnfoldedAt(isUnfolded ? null : location)}
        >
          {text('nav.fold')}
        </Button>
        <span className={classes['product']}>{text('product.name')}</span>
        <div className={classes['status']}>{status}</div>
        <div className={classes['menus']}>{menus}</div>
      </header>
      <div className={classes['notice']}>{notice}</div>
      <nav
        ref={nav}
        id={navId}
        className={classes['nav']}
        aria-label={navigationLabel}
        data-unfolded={isUnfolded || undefined}
      >
        {isUnfolded && <TakesKeys kind="dialog" />}
        {groupsOf(navigation).map(({ name, items }) => (
          <div key={items[0]?.href} className={classes['group']}>
            {name !== undefined && <p className={classes['groupName']}>{name}</p>}
            <ul aria-label={name}>
              {items.map((item) => (
                <li key={item.href}>
                  <NavigationLink item={item} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {folds && (
          <button
            type="button"
            className={classes['narrow']}
            aria-expanded={isWide}
            aria-keyshortcuts="["
            title={text(isWide ? 'nav.toIcons' : 'nav.toWords')}
            onClick={() => setIsWide(!isWide)}
          >
            <Glyph name="chevron" />
            <span className={classes['words']}>{text(isWide ? 'nav.toIcons' : 'nav.toWords')}</span>
            <kbd aria-hidden="true">[</kbd>
          </button>
        )}
      </nav>
      <main id="main" className={classes['main']} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** The frame of a window that shows one thing: neither head nor navigation. */
export function BareFrame({ notice, children }: Pick<FrameProps, 'notice' | 'children'>): ReactNode {
  return (
    <div className={classes['frame']} data-bare>
      <div className={classes['notice']}>{notice}</div>
      <main id="main" className={classes['main']} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function groupsOf(navigation: readonly NavigationItem[]): { name: string | undefined; items: NavigationItem[] }[] {
  const groups: { name: string | undefined; items: NavigationItem[] }[] = [];
  for (const item of navigation) {
    const last = groups.at(-1);
    if (last !== undefined && last.name === item.group) last.items.push(item);
    else groups.push({ name: item.group, items: [item] });
  }
  return groups;
}

function NavigationLink({ item }: { item: NavigationItem }): ReactNode {
  const [location] = useLocation();
  const isHere = location === item.href || location.startsWith(`${item.href}/`);
  return (
    <Link
      href={`${item.href}${item.query ?? ''}`}
      className={classes['link'] ?? ''}
      aria-current={isHere ? 'page' : undefined}
      title={item.glyph === undefined ? undefined : item.label}
    >
      {item.glyph !== undefined && <Glyph name={item.glyph} size={14} />}
      <span className={classes['words']}>{item.label}</span>
      {item.count !== undefined && (
        <span className={classes['count']} title={item.count.label}>
          <span aria-hidden="true">{item.count.value}</span>
          <VisuallyHidden>{item.count.label}</VisuallyHidden>
        </span>
      )}
    </Link>
  );
}
