/** What the tags of the analyser say of a morpheme (the Sejong tag set). */
import { FIRST_SYLLABLE } from '../letters/hangul.ts';

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

/** Whether a morpheme says that something is to come: `겠`, `리라`, or `것` and its like behind the ending `ㄹ`. */
export function isFuture({ text, tag }: Tagged, before: Tagged | undefined): boolean {
  if (tag === 'NNB') return /^[것거듯터]$/.test(text) && /^[ㄹ을]$/.test(before?.text ?? '');
  return tag === 'EP' ? text === '겠' : tag.startsWith('E') && /^으?리(?:라|니)$/.test(text);
}

/** Whether a text may say so, by its letters. */
export function mayHoldFuture(text: string): boolean {
  for (const { 1: before } of text.matchAll(/([가-힣])\s*[것거겁건걸게듯터테텐]|겠|리[라니]/g))
    if (before === undefined || (before.charCodeAt(0) - FIRST_SYLLABLE) % 28 === FINAL_R) return true;
  return false;
}

/** The number of the last letter ㄹ among those of a syllable. */
const FINAL_R = 8;
