import type { ReactNode } from 'react';
import { Badge } from '../../../shared/ui/parts/badge.tsx';
import { useText } from '../i18n/use-text.ts';
import type { Severity } from '../rules/rule.ts';
import type { Look } from '../runs/run-badges.tsx';

export const SEVERITY_LOOKS: Readonly<Record<Severity, Look>> = {
  BAD: { tone: 'bad', glyph: 'refused' },
  WARNING: { tone: 'wait', glyph: 'warning' },
  UNKNOWN: { tone: 'neutral', glyph: 'unknown' },
  NOT_MEASURED: { tone: 'neutral', glyph: 'gap' },
  GOOD: { tone: 'good', glyph: 'approved' },
};

export function SeverityBadge({ severity }: { severity: Severity }): ReactNode {
  const text = useText();
  return <Badge {...SEVERITY_LOOKS[severity]}>{text(`severity.${severity}`)}</Badge>;
}
