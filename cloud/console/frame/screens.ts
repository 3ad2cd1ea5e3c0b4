/**
 * The screens in the order of the navigation. A new screen is a row here: its address, its name, the group
 * that it stands in and its component, which reads `:id` where something of it is open. One begins at the first.
 */
import { lazy, type ComponentType } from 'react';
import type { MessageId } from '../i18n/use-text.ts';

// Whatever is not the first screen is loaded when it is opened.
const TenantsScreen = lazy(async () => ({ default: (await import('../tenants/tenants-screen.tsx')).TenantsScreen }));
const AnalysesScreen = lazy(async () => ({
  default: (await import('../analyses/analyses-screen.tsx')).AnalysesScreen,
}));

export interface Screen {
  href: `/${string}`;
  label: MessageId;
  group?: MessageId;
  component: ComponentType;
}

export const SCREENS: readonly [Screen, ...Screen[]] = [
  { href: '/tenants', label: 'nav.tenants', component: TenantsScreen },
  { href: '/analyses', label: 'nav.analyses', group: 'nav.pipeline', component: AnalysesScreen },
];
