import { lazy, type ReactNode } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { TabbedScreen } from '../../components/parts/tabbed-screen.tsx';

const Statistics = lazy(async () => ({ default: (await import('./statistics-part.tsx')).StatisticsPart }));
const Blind = lazy(async () => ({ default: (await import('./blind-part.tsx')).BlindPart }));

/** Review statistics and blind reviews. */
export function QualityScreen(): ReactNode {
  const text = useText();
  return (
    <TabbedScreen
      title={text('nav.quality')}
      href="/quality"
      tabs={[
        { id: 'statistics', label: text('quality.statistics'), component: Statistics },
        { id: 'blind', label: text('quality.blind'), component: Blind },
      ]}
    />
  );
}
