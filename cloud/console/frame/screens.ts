/**
 * The screens in the order of the navigation. A new screen is a row here: its address, its name, its group and its
 * component, which reads `:id` for an open item. The console starts at the first screen.
 */
import { lazy, type ComponentType } from 'react';
import { OverviewScreen } from '../screens/overview/overview-screen.tsx';
import type { MessageId } from '../i18n/use-text.ts';
import type { ViewedScreen } from '../navigation/left-views.ts';

// Every screen but the first is loaded when it is opened.
const HistoryScreen = lazy(async () => ({
  default: (await import('../screens/history/history-screen.tsx')).HistoryScreen,
}));
const SourcesScreen = lazy(async () => ({
  default: (await import('../screens/sources/sources-screen.tsx')).SourcesScreen,
}));
const NewsScreen = lazy(async () => ({ default: (await import('../screens/news/news-screen.tsx')).NewsScreen }));
const HoldingsScreen = lazy(async () => ({
  default: (await import('../screens/holdings/holdings-screen.tsx')).HoldingsScreen,
}));
const MinuteScreen = lazy(async () => ({
  default: (await import('../screens/minute/minute-screen.tsx')).MinuteScreen,
}));
const FailuresScreen = lazy(async () => ({
  default: (await import('../screens/failures/failures-screen.tsx')).FailuresScreen,
}));
const FactsScreen = lazy(async () => ({ default: (await import('../screens/facts/facts-screen.tsx')).FactsScreen }));
const TenantsScreen = lazy(async () => ({
  default: (await import('../screens/tenants/tenants-screen.tsx')).TenantsScreen,
}));
const AnalysesScreen = lazy(async () => ({
  default: (await import('../screens/analyses/analyses-screen.tsx')).AnalysesScreen,
}));

export interface Screen extends ViewedScreen {
  href: `/${string}`;
  label: MessageId;
  group?: MessageId;
  component: ComponentType;
  /** It says itself that the day of a link cannot be read. */
  saysWrongDay?: true;
}

export const SCREENS: readonly [Screen, ...Screen[]] = [
  { href: '/overview', day: 'date', label: 'nav.overview', component: OverviewScreen },
  { href: '/runs', day: 'to', label: 'nav.runs', component: HistoryScreen },
  { href: '/failures', day: 'date', label: 'nav.failures', component: FailuresScreen },
  { href: '/facts', day: 'date', label: 'nav.facts', component: FactsScreen, saysWrongDay: true },
  { href: '/tenants', label: 'nav.tenants', component: TenantsScreen },
  { href: '/sources', label: 'nav.sources', group: 'nav.pipeline', component: SourcesScreen },
  { href: '/news', day: 'date', label: 'nav.news', group: 'nav.pipeline', component: NewsScreen },
  { href: '/holdings', label: 'nav.holdings', group: 'nav.pipeline', component: HoldingsScreen },
  { href: '/minute', day: 'date', label: 'nav.minute', group: 'nav.pipeline', component: MinuteScreen },
  { href: '/analyses', label: 'nav.analyses', group: 'nav.pipeline', component: AnalysesScreen },
];

/** The operator's own account, which the menu under their name leads to. */
export const PROFILE_SCREEN = {
  href: '/profile',
  label: 'profile.title',
  component: lazy(async () => ({ default: (await import('../session/profile-screen.tsx')).ProfileScreen })),
} as const satisfies Screen;
