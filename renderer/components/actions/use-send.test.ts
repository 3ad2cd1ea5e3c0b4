import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../../../shared/ui/http/request.ts';
import { becameOf, refusalOf, type Sending } from './use-send.ts';

const DRAFT = {
  action: 'approve-edited',
  isOpen: true,
  version: 1,
  base: 'x',
  text: 'y',
  carried: null,
  saved: { version: 0, text: 'x', note: '' },
  code: null,
  note: '',
} as const;
const variables: Sending = {
  kind: 'decision',
  itemId: 'first',
  draft: DRAFT,
  acknowledged: { words: ['word-1'], figures: ['3건'] },
  withoutOpinion: false,
};

const refused = new ApiProblem({
  status: 409,
  code: 'COMMON409',
  message: 'words to look at',
  fieldErrors: [
    { path: 'body.acknowledgedWords.word-2', message: '“최고”' },
    { path: 'body.acknowledgedFigures.9.99%p', message: '“9.99%p”' },
    { path: 'body.acknowledgedFigures.9.99%p', message: '“9.99%p”' },
  ],
  requestId: null,
});

test('sent again, a refused draft acknowledges its findings; earlier acknowledgements stay', () => {
  expect(refusalOf({ error: refused, variables }, 'decision', 'first')).toEqual({
    error: refused,
    acknowledged: { words: ['word-1', 'word-2'], figures: ['3건', '9.99%p'] },
  });
});

test('findings acknowledged in one text do not count for another, and a refusal is shown with its own item only', () => {
  expect(refusalOf({ error: refused, variables }, 'decision', 'second')).toBeNull();
  expect(refusalOf({ error: refused, variables }, 'operation', 'first')).toBeNull();
});

test('an accepted draft clears its acknowledgements: the same words in a later text are asked about again', () => {
  expect(refusalOf({ error: null, variables }, 'decision', 'first')).toBeNull();
});

describe('the outcome of a draft whose answer was lost', () => {
  const asked = { draft: DRAFT, movesBefore: 1, displayName: 'Kim' };
  const move = { move: 'approve-edited', to: 'PUBLISHED', actor: 'Kim' };
  const item = (changes: object): Parameters<typeof becameOf>[0] =>
    ({
      status: 'PENDING_REVIEW',
      version: 1,
      held: null,
      obstacle: null,
      history: [{ move: 'receive', actor: 'SYSTEM' }],
      waitingEdit: null,
      ...changes,
    }) as Parameters<typeof becameOf>[0];
  const [received] = item({}).history;

  test('nothing, if the history has not grown', () => {
    expect(becameOf(item({}), asked)).toBeNull();
  });

  test("the next transition is the draft's own, by action and actor", () => {
    const done = item({ status: 'PUBLISHED', version: 2, history: [received, move], held: { until: 'u', leftMs: 5 } });
    expect(becameOf(done, asked)).toEqual({
      became: 'done',
      hold: { version: 2, until: 'u', leftMs: 5 },
      obstacle: null,
    });
    expect(becameOf(item({ history: [received, { ...move, actor: 'Lee' }, move] }), asked)).toBeNull();
    expect(becameOf(item({ history: [received, { ...move, move: 'reject' }] }), asked)).toBeNull();
  });

  test('an edit of this text may wait for the second person', () => {
    expect(becameOf(item({ waitingEdit: { approvedByMe: true, text: 'y' } }), asked)?.became).toBe('waits');
    expect(becameOf(item({ waitingEdit: { approvedByMe: true, text: 'z' } }), asked)).toBeNull();
    expect(becameOf(item({ waitingEdit: { approvedByMe: false, text: 'y' } }), asked)).toBeNull();
  });
});
