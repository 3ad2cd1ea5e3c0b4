/** What the tags of the analyser say of a morpheme (the Sejong tag set). */

/** A morpheme in its dictionary form, with its tag: `보장`, `NNG`. */
export interface Tagged {
  text: string;
  tag: string;
}

/** Whether a morpheme has a meaning of its own: a noun, a verb, an adverb, a number; no particle and no ending. */
export const isContent = (tag: string): boolean => /^(?:N|VV|VA|VCN|MA|MM|XR|XPN|SL|SN|SH|IC)/.test(tag);

/** Whether a morpheme says the contrary of what stands before it. */
export function isDenial({ text, tag }: Tagged): boolean {
  if (text === '않' || text === '없' || text === '없애' || text === '없이' || text === '아니' || text === '못하')
    return true;
  return tag.startsWith('MA') ? text === '못' || text === '안' : tag === 'VX' && text === '말';
}
