/**
 * The screens in the order of the navigation. A new screen is a row here: its address, its name, the
 * row of the matrix that opens it, and its component.
 */
import type { ComponentType } from 'react';
import type { FunctionId } from '../../shared/policy/matrix.ts';
import type { MessageId } from '../i18n/use-text.ts';
import { ExplanationsScreen } from '../explanations/explanations-screen.tsx';
import { ReviewScreen } from '../review/review-screen.tsx';

export interface Screen {
  href: string;
  label: MessageId;
  functionId: FunctionId;
  component: ComponentType;
}

export const SCREENS: readonly Screen[] = [
  { href: '/explanations', label: 'nav.explanations', functionId: 'explanations.view', component: ExplanationsScreen },
  { href: '/review', label: 'nav.review', functionId: 'review.view', component: ReviewScreen },
];

/** Where somebody begins who comes without an address: reviewers at their queue, everybody else at the board. */
export function startOf(permissions: readonly FunctionId[]): string {
  return permissions.includes('review.decide') ? '/review' : '/explanations';
}
