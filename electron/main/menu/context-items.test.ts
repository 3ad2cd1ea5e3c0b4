import { expect, test } from 'vitest';
import { contextItems, type Clicked } from './context-items.ts';

const NOTHING: Clicked = {
  isEditable: false,
  selectionText: '',
  linkURL: '',
  editFlags: { canCut: true, canCopy: true, canPaste: true, canSelectAll: true },
};

test.each<[string, Partial<Clicked>, string[]]>([
  ['on an empty place', {}, []],
  ['on chosen text', { selectionText: '1.23%' }, ['copy']],
  ['in a field', { isEditable: true }, ['cut', 'paste', 'selectAll']],
  ['on chosen text in a field', { isEditable: true, selectionText: 'x' }, ['cut', 'copy', 'paste', 'selectAll']],
  ['on a link', { linkURL: 'https://news.example/1' }, ['copyLink']],
  [
    'in a field where nothing can be pasted',
    { isEditable: true, editFlags: { canCut: false, canCopy: false, canPaste: false, canSelectAll: true } },
    ['selectAll'],
  ],
])('%s', (_where, clicked, items) => {
  expect(contextItems({ ...NOTHING, ...clicked })).toEqual(items);
});
