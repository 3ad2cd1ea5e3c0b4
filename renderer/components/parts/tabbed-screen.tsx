import { VisuallyHidden } from '@mantine/core';
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { LoadingState } from '../../../shared/ui/parts/data-state.tsx';
import { useMay } from '../../api/session-context.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './parts.module.css';
import { linkedTabs, tabsOf, type TABS, type Tabbed } from './tabs.ts';

export interface TabbedScreenProps<Screen extends Tabbed> {
  screen: Screen;
  parts: Readonly<Record<keyof (typeof TABS)[Screen] & string, ComponentType>>;
}

/** A screen of several parts, each with an address of its own below the screen's. */
export function TabbedScreen<Screen extends Tabbed>({ screen, parts }: TabbedScreenProps<Screen>): ReactNode {
  const text = useText();
  const may = useMay();
  const { id } = useParams<{ id?: string }>();
  const title = text(`nav.${screen}`);
  const href = `/${screen}`;
  const tabs = tabsOf(href);
  const here = tabs.find((tab) => tab.href === `${href}/${id ?? ''}`);
  if (here === undefined) return <Redirect to={tabs[0]?.href ?? href} replace />;
  const Part: ComponentType = parts[here.href.slice(href.length + 1) as keyof typeof parts];
  return (
    <div className={classes['screen']}>
      <header className={classes['head']}>
        <h1>{title}</h1>
        <nav className={classes['tabs']} aria-label={title}>
          {linkedTabs(href, may).map((tab) => (
            <Link key={tab.href} href={tab.href} aria-current={tab.href === here.href ? 'page' : undefined}>
              {text(tab.label)}
            </Link>
          ))}
        </nav>
      </header>
      <div className={classes['body']} role="region" aria-label={text(here.label)} tabIndex={0}>
        <VisuallyHidden>
          <h2>{text(here.label)}</h2>
        </VisuallyHidden>
        <Suspense fallback={<LoadingState />}>
          <Part />
        </Suspense>
      </div>
    </div>
  );
}
