/**
 * The screens in the order of the navigation. A new screen is a row here: its address, its name, the
 * row of the matrix that opens it, and its component.
 */
import { lazy, type ComponentType } from 'react';
import type { FunctionId } from '../../../shared/policy/matrix.ts';
import type { GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import type { MessageId } from '../../i18n/use-text.ts';
import { CaseScreen } from '../../screens/review/case-screen.tsx';
import { ReviewScreen } from '../../screens/review/review-screen.tsx';

// Screens that nobody opens first, or few users do, load on demand.
const DashboardScreen = lazy(async () => ({
  default: (await import('../../screens/dashboard/dashboard-screen.tsx')).DashboardScreen,
}));
const ExplanationsScreen = lazy(async () => ({
  default: (await import('../../screens/explanations/explanations-screen.tsx')).ExplanationsScreen,
}));
const SettingsScreen = lazy(async () => ({
  default: (await import('../../screens/settings/settings-screen.tsx')).SettingsScreen,
}));
const SamplesScreen = lazy(async () => ({
  default: (await import('../../screens/samples/samples-screen.tsx')).SamplesScreen,
}));
const QualityScreen = lazy(async () => ({
  default: (await import('../../screens/quality/quality-screen.tsx')).QualityScreen,
}));
const ShownScreen = lazy(async () => ({
  default: (await import('../../screens/shown/shown-screen.tsx')).ShownScreen,
}));
const InspectionScreen = lazy(async () => ({
  default: (await import('../../screens/inspection/inspection-screen.tsx')).InspectionScreen,
}));
const PolicyScreen = lazy(async () => ({
  default: (await import('../../screens/policy/policy-screen.tsx')).PolicyScreen,
}));

export interface Screen {
  href: string;
  label: MessageId;
  functionId: FunctionId;
  component: ComponentType;
  /** `KeyboardEvent.code` of the letter that opens it after `G`. */
  code: string;
  glyph: GlyphName;
}

export const SCREENS: readonly Screen[] = [
  {
    href: '/dashboard',
    glyph: 'tiles',
    label: 'nav.dashboard',
    functionId: 'dashboard.view',
    component: DashboardScreen,
    code: 'KeyD',
  },
  {
    href: '/explanations',
    glyph: 'lines',
    label: 'nav.explanations',
    functionId: 'explanations.view',
    component: ExplanationsScreen,
    code: 'KeyE',
  },
  { href: '/shown', glyph: 'past', label: 'nav.shown', functionId: 'shown.view', component: ShownScreen, code: 'KeyW' },
  {
    href: '/inspection',
    glyph: 'folder',
    label: 'nav.inspection',
    functionId: 'inspection.view',
    component: InspectionScreen,
    code: 'KeyI',
  },
  {
    href: '/review',
    glyph: 'checklist',
    label: 'nav.review',
    functionId: 'review.view',
    component: ReviewScreen,
    code: 'KeyR',
  },
  {
    href: '/samples',
    glyph: 'sample',
    label: 'nav.samples',
    functionId: 'review.view',
    component: SamplesScreen,
    code: 'KeyS',
  },
  {
    href: '/quality',
    glyph: 'bars',
    label: 'nav.quality',
    functionId: 'review.view',
    component: QualityScreen,
    code: 'KeyQ',
  },
  {
    href: '/policy',
    glyph: 'shield',
    label: 'nav.policy',
    functionId: 'policy.view',
    component: PolicyScreen,
    code: 'KeyP',
  },
  {
    href: '/settings',
    glyph: 'sliders',
    label: 'nav.settings',
    functionId: 'scope.view',
    component: SettingsScreen,
    code: 'KeyT',
  },
];

/** One review item in a window of its own; the navigation has no link to it. */
export const CASE = { href: '/case', component: CaseScreen } as const;

/** The start screen without an address: the queue for reviewers, the dashboard for everyone else. */
export function startOf(permissions: readonly FunctionId[]): string {
  return permissions.includes('review.decide') ? '/review' : '/dashboard';
}
