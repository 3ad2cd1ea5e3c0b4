/** The effects of a policy change, group by group, each text with the sentences of its hits. */
import type { ReactNode } from 'react';
import { Glyph, type GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import type { Tone } from '../../../shared/ui/parts/badge.tsx';
import { segmentsOf } from '../../../shared/ui/text/segments.ts';
import type { Preview, PreviewItem } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import { useCheckText } from '../../components/texts/check-text.ts';
import classes from './policy.module.css';
import { sentencesWith } from './sentences.ts';

const LOOKS = {
  caughtExposed: { tone: 'bad', glyph: 'warning' },
  freedBlocks: { tone: 'wait', glyph: 'waiting' },
  newlyBlocked: { tone: 'bad', glyph: 'blocked' },
  newlyReviewed: { tone: 'wait', glyph: 'waiting' },
  newlyProvided: { tone: 'good', glyph: 'automatic' },
  exposedAgain: { tone: 'bad', glyph: 'warning' },
  exposedNoMore: { tone: 'stop', glyph: 'stopped' },
  exposedLonger: { tone: 'wait', glyph: 'warning' },
  exposedShorter: { tone: 'neutral', glyph: 'waiting' },
} as const satisfies Readonly<Record<string, { tone: Tone; glyph: GlyphName }>>;

export type EffectGroup = keyof typeof LOOKS;

interface GroupProps<Group extends EffectGroup> {
  group: Group;
  preview: Preview;
  /** The note on one item. */
  say: (item: Preview[Group]['items'][number]) => string;
  /** Content before one item. */
  renderBefore?: (item: Preview[Group]['items'][number]) => ReactNode;
  /** Actions on all items. */
  children?: ReactNode;
}

/** One effect: the count and the texts. A title opens its text in a window of its own: the form stays as it is. */
export function EffectGroupView<Group extends EffectGroup>({
  group,
  preview,
  say,
  renderBefore,
  children,
}: GroupProps<Group>): ReactNode {
  const text = useText();
  const { tone, glyph } = LOOKS[group];
  const { count, items } = preview[group];
  return (
    <div className={classes['effect']} data-tone={tone} data-group={group}>
      <p className={classes['effectHead']}>
        <Glyph name={glyph} /> {text(`policy.preview.${group}`)}
        <strong>{count}</strong>
      </p>
      {children}
      <ul tabIndex={items.length > 0 ? 0 : undefined} aria-label={text(`policy.preview.${group}`)}>
        {items.map((item) => (
          <li key={item.id}>
            {renderBefore?.(item)}
            <a href={`/explanations/${encodeURIComponent(item.id)}`} target="_blank" rel="noopener noreferrer">
              {item.etf_ticker} {item.etf_name} <Glyph name="external" size={10} />
            </a>{' '}
            <span className={classes['quiet']}>
              {item.trade_date} · {say(item)}
            </span>
            {'reasons' in item && <Findings text={item.text} reasons={item.reasons} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Each hit in its sentence; a finding without a place in the text is described. */
function Findings({ text: screened, reasons }: Pick<PreviewItem, 'text' | 'reasons'>): ReactNode {
  const sayCheck = useCheckText();
  const found = sentencesWith(
    screened,
    reasons.flatMap(({ hits }) => hits),
  );
  return (
    <>
      {found.map(({ start, text: sentence, marks }) => (
        <p key={start} className={classes['sentence']} lang="ko">
          {segmentsOf(sentence, marks).map((part) =>
            part.ranges.length === 0 ? (
              <span key={part.start}>{part.text}</span>
            ) : (
              <mark key={part.start}>{part.text}</mark>
            ),
          )}
        </p>
      ))}
      {reasons
        .filter(({ hits }) => hits.length === 0)
        .map((reason) => (
          <p key={reason.check} className={classes['quiet']}>
            {sayCheck(reason)}
          </p>
        ))}
    </>
  );
}
