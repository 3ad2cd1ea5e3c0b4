import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useConsole } from '../../api/console-context.tsx';
import { AlteredThings } from '../../components/domain/altered-things.tsx';
import { useText } from '../../i18n/use-text.ts';
import { WaitingNote } from './waiting-version.tsx';
import { TabbedScreen } from '../../components/parts/tabbed-screen.tsx';

const Words = lazy(async () => ({ default: (await import('./words-part.tsx')).WordsPart }));
const Notices = lazy(async () => ({ default: (await import('./notices-part.tsx')).NoticesPart }));
const Criteria = lazy(async () => ({ default: (await import('./criteria-part.tsx')).CriteriaPart }));
const DisclaimerPart = lazy(async () => ({ default: (await import('./disclaimer-part.tsx')).DisclaimerPart }));
const Versions = lazy(async () => ({ default: (await import('./versions-part.tsx')).VersionsPart }));
const Proposals = lazy(async () => ({ default: (await import('./proposals-part.tsx')).ProposalsPart }));

/** The compliance policy: words, notices, criteria, disclaimer, versions. Each change is a new version (D16). */
export function PolicyScreen(): ReactNode {
  return (
    <>
      <Altered />
      <WaitingNote />
      <TabbedScreen
        screen="policy"
        parts={{
          words: Words,
          notices: Notices,
          criteria: Criteria,
          disclaimer: DisclaimerPart,
          proposals: Proposals,
          versions: Versions,
        }}
      />
    </>
  );
}

/** Where the policy in force differs from the audit log, with the texts that it has let out. */
function Altered(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const altered = useQuery(queries.policy).data?.altered ?? null;
  if (altered === null) return null;
  return (
    <AlteredThings things={altered.faults}>
      <p>{text('altered.policy', { count: altered.provided })}</p>
      <ul>
        {altered.explanations.map(({ id, name, tradeDate }) => (
          <li key={id}>
            <Link href={`/explanations/${encodeURIComponent(id)}`}>{`${name} ${tradeDate}`}</Link>
          </li>
        ))}
      </ul>
    </AlteredThings>
  );
}
