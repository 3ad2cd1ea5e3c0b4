import { expect, test } from 'vitest';
import { ApiProblem } from '../../shared/ui/http/request.ts';
import { refusalOf, type Sending } from './use-send.ts';

const DRAFT = {
  action: 'approve-edited',
  isOpen: true,
  version: 1,
  base: 'x',
  text: 'y',
  code: null,
  note: '',
} as const;
const variables: Sending = {
  kind: 'decision',
  itemId: 'first',
  draft: DRAFT,
  acknowledged: ['word-1'],
  withoutOpinion: false,
};

const refused = new ApiProblem({
  status: 409,
  code: 'COMMON409',
  message: 'words to look at',
  fieldErrors: [{ path: 'body.acknowledgedWords.word-2', message: '“최고”' }],
  requestId: null,
});

test('sent again, a refused draft says that its words were looked at; earlier ones stay so', () => {
  expect(refusalOf({ error: refused, variables }, 'decision', 'first')).toEqual({
    error: refused,
    acknowledged: ['word-1', 'word-2'],
  });
});

test('what was looked at in one text lets nothing stand in another, and a refusal is shown with its own item only', () => {
  expect(refusalOf({ error: refused, variables }, 'decision', 'second')).toBeNull();
  expect(refusalOf({ error: refused, variables }, 'operation', 'first')).toBeNull();
});

test('what was taken leaves nothing behind: the same words in a later text are asked about again', () => {
  expect(refusalOf({ error: null, variables }, 'decision', 'first')).toBeNull();
});
