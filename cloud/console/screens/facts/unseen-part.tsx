import type { ReactNode } from 'react';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { useText } from '../../i18n/use-text.ts';
import type { ReadFacts } from '../../rules/rule.ts';
import runs from '../../runs/runs.module.css';
import { absentFacts, unseenFacts } from './values/axes.ts';
import { FactValue } from './values/fact-value.tsx';
import { placeWords } from './values/fact-words.ts';
import classes from './values/facts.module.css';

/**
 * Facts that this answer does not measure, and facts that it looked for in vain: never the same, and neither is well.
 */
export function UnseenPart({ facts }: { facts: ReadFacts }): ReactNode {
  const text = useText();
  const absent = absentFacts(facts);
  const unseen = unseenFacts(facts);
  return (
    <Panel level={2} title={text('unseen.title')}>
      {absent.length + unseen.length === 0 && <p className={runs['none']}>{text('unseen.nothing')}</p>}
      {absent.length > 0 && <PlaceList pointers={absent} value={undefined} meaning={text('unseen.absent')} />}
      {unseen.length > 0 && <PlaceList pointers={unseen} value={null} meaning={text('unseen.null')} />}
    </Panel>
  );
}

function PlaceList({
  pointers,
  value,
  meaning,
}: {
  pointers: readonly string[];
  value: null | undefined;
  meaning: string;
}): ReactNode {
  const text = useText();
  return (
    <div className={classes['unseen']}>
      <p>{meaning}</p>
      <ul>
        {pointers.map((pointer) => (
          <li key={pointer}>
            <FactValue value={value} /> {placeWords(text, pointer)}
          </li>
        ))}
      </ul>
    </div>
  );
}
