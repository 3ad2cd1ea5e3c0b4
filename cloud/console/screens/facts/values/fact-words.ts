/** A value of the facts in words; absent, null and zero differ (operator API 2.5). */
import type { Text } from '../../../../../shared/ui/i18n/use-text.ts';
import { kstText } from '../../../../../shared/ui/time/format.ts';
import type { MessageId } from '../../../i18n/use-text.ts';
import { axisAt, fieldsOf, type FieldKind } from './axes.ts';

/** How it is drawn: `quiet` for a value that is present and says nothing. */
export type FactState = 'absent' | 'null' | 'zero' | 'quiet' | 'value';

export interface FactWords {
  state: FactState;
  words: string;
}

export function factWords(text: Text<MessageId>, value: unknown, kind: FieldKind): FactWords {
  const there = (words: string): FactWords => ({ state: 'value', words });
  if (value === undefined) return { state: 'absent', words: text('facts.absent') };
  if (value === null) return { state: 'null', words: text('facts.null') };
  if (value === 0) return { state: 'zero', words: '0' };
  if (typeof value === 'number') return there(value.toLocaleString('en-US', { maximumFractionDigits: 4 }));
  if (typeof value === 'boolean') return there(text(value ? 'facts.yes' : 'facts.no'));
  if (Array.isArray(value)) return there(text('facts.entries', { count: value.length }));
  if (typeof value !== 'string') return there(text('facts.object'));
  if (value === '') return { state: 'quiet', words: text('facts.empty') };
  if (kind === 'status') return there(text('ledger.word', { word: value }));
  const time = kind === 'instant' ? kstText(value, 'second') : null;
  return there(time === null ? value : `${time} KST`);
}

/** The target of a JSON pointer in words: the axis and the field. The pointer itself for an unknown one. */
export function placeWords(text: Text<MessageId>, pointer: string): string {
  if (pointer === '/meta/db') return text('facts.clock.db');
  if (pointer === '/meta/cloud') return text('facts.clock.cloud');
  if (pointer === '/withdrawals') return text('withdrawals.title');
  const axis = axisAt(pointer);
  if (axis === null) return pointer;
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const field = fieldsOf(axis).find(({ name }) => name === last);
  const name = text(`facts.axis.${axis}`);
  return field === undefined ? name : `${name} · ${text(`facts.field.${field.name}`)}`;
}
