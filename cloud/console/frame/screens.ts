/**
 * The screens in the order of the navigation. A new screen is a row here: its address, its name and
 * its component, which reads `:id` where something of it is open. The first row is where one begins.
 */
import type { ComponentType } from 'react';
import { AnalysesScreen } from '../analyses/analyses-screen.tsx';
import type { MessageId } from '../i18n/use-text.ts';

export interface Screen {
  href: `/${string}`;
  label: MessageId;
  component: ComponentType;
}

const ANALYSES: Screen = { href: '/analyses', label: 'nav.analyses', component: AnalysesScreen };

export const SCREENS: readonly Screen[] = [ANALYSES];
export const START: Screen = ANALYSES;
