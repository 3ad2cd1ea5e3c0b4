import { VisuallyHidden } from '@mantine/core';
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { LoadingState } from '../../../shared/ui/parts/data-state.tsx';
import classes from './parts.module.css';

export interface Tab {
  id: string;
  label: string;
  component: ComponentType;
  /** Reachable by its address only, without a tab: it says who may see its content. */
  isHidden?: boolean;
}

/** A screen of several parts, each with an address of its own below the screen's. */
export function TabbedScreen({
  title,
  href,
  tabs,
}: {
  title: string;
  href: string;
  tabs: readonly [Tab, ...Tab[]];
}): ReactNode {
  const { id } = useParams<{ id?: string }>();
  const here = tabs.find((tab) => tab.id === id);
  if (here === undefined) return <Redirect to={`${href}/${tabs[0].id}`} replace />;
  const { component: Part } = here;
  return (
    <div className={classes['screen']}>
      <header className={classes['head']}>
        <h1>{title}</h1>
        <nav className={classes['tabs']} aria-label={title}>
          {tabs
            .filter((tab) => tab.isHidden !== true)
            .map((tab) => (
              <Link key={tab.id} href={`${href}/${tab.id}`} aria-current={tab === here ? 'page' : undefined}>
                {tab.label}
              </Link>
            ))}
        </nav>
      </header>
      <div className={classes['body']} role="region" aria-label={here.label} tabIndex={0}>
        <VisuallyHidden>
          <h2>{here.label}</h2>
        </VisuallyHidden>
        <Suspense fallback={<LoadingState />}>
          <Part />
        </Suspense>
      </div>
    </div>
  );
}
