import type { ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import type { AlteredThing } from '../../../shared/wire/console/audit.ts';
import { useText } from '../../i18n/use-text.ts';
import parts from '../parts/parts.module.css';

/** What differs from the audit log (D199); nothing where nothing does. */
export function AlteredThings({
  things,
  children,
}: {
  things: readonly AlteredThing[];
  children?: ReactNode;
}): ReactNode {
  const text = useText();
  if (things.length === 0) return null;
  return (
    <div className={parts['note']} data-tone="bad" role="alert" data-altered={things.length}>
      <Glyph name="warning" />
      <div>
        <strong>{text('altered.title')}</strong>
        <ul>
          {things.map((thing) => (
            <li key={JSON.stringify(thing)}>
              <Sentence thing={thing} />
            </li>
          ))}
        </ul>
        {children}
        {text('altered.todo')}
      </div>
    </div>
  );
}

function Sentence({ thing: { fault, kind, name, row } }: { thing: AlteredThing }): ReactNode {
  const text = useText();
  const what = kind === null ? text('altered.LOG') : text(`altered.${kind}`);
  return text(`altered.is.${fault}`, { what: name === null ? what : `${what} ${name}`, row: row ?? 0 });
}
