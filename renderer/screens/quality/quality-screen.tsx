import { lazy, type ReactNode } from 'react';
import { TabbedScreen } from '../../components/parts/tabbed-screen.tsx';

const Statistics = lazy(async () => ({ default: (await import('./statistics-part.tsx')).StatisticsPart }));
const Blind = lazy(async () => ({ default: (await import('./blind-part.tsx')).BlindPart }));

/** Review statistics and blind reviews. */
export function QualityScreen(): ReactNode {
  return <TabbedScreen screen="quality" parts={{ statistics: Statistics, blind: Blind }} />;
}
