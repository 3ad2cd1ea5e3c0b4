/** The screen that the address names, inside a `Frame`. */
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useSharedText } from '../i18n/use-text.ts';
import { CrashedScreen } from '../parts/crashed-screen.tsx';
import { EmptyState, LoadingState } from '../parts/data-state.tsx';
import { ErrorBoundary } from '../parts/error-boundary.tsx';

export interface ScreensProps {
  /** Each screen has its address, and `:id` below it for an open item. */
  screens: readonly { href: string; component: ComponentType }[];
  /** The address for a visit without a path. */
  start: string;
}

export function Screens({ screens, start }: ScreensProps): ReactNode {
  const text = useSharedText();
  const [location] = useLocation();
  return (
    <ErrorBoundary resetKey={location} fallback={CrashedScreen}>
      <Suspense fallback={<LoadingState />}>
        <Switch>
          <Route path="/">
            <Redirect to={start} replace />
          </Route>
          {screens.map(({ href, component: Component }) => (
            <Route key={href} path={`${href}/:id?`}>
              <Component />
            </Route>
          ))}
          <Route>
            <EmptyState isScreen title={text('nav.unknown')}>
              <Link href={start}>{text('nav.toStart')}</Link>
            </EmptyState>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
