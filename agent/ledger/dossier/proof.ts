/** What a dossier tells is held against what proves it before it is made, by the rules of `verify-dossier` (D190). */
import { onRecord } from '../shown/fact-rows.ts';
import { checkFacts, checkPolicy } from '../shown/logged-facts.ts';
import type { Collected } from './collected.ts';
import { wasLetOut } from './contents.ts';
import type { ReceivedEntries } from './entries.ts';
import { checkFields, checkRecorded, setAsideIn } from './fields.ts';
import { checkScreenings } from './screenings.ts';

/** @throws RecordNotWholeError, DossierError */
export function refuseUnproved({ subject, record, shown, bundles, rows }: Collected, received: ReceivedEntries): void {
  const { explanations, policies } = record;
  const told = new Set(explanations.map(({ id }) => id));
  const beside = shown.flatMap(({ facts }) => facts.explanations.map(({ id }) => id));
  const texts = received.texts(bundles, new Set([...told, ...beside]));
  const setAside = setAsideIn(rows);
  onRecord(subject.kind === 'SPAN' ? `the ticker ${subject.ticker}` : `the explanation ${subject.id}`, () => {
    for (const policy of policies) checkPolicy(policy, rows);
    checkScreenings(explanations, policies, (id) => (texts.get(id) ?? []).map(({ entry }) => entry));
    for (const period of shown) {
      checkFacts(period.facts, rows, policies);
      checkRecorded(period.facts);
      for (const each of period.facts.explanations)
        if (told.has(each.id) || wasLetOut(each, period))
          checkFields(each, texts.get(each.id) ?? [], period.facts, setAside);
    }
  });
}
