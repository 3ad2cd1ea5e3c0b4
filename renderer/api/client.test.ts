import { describe, expect, test } from 'vitest';
import type { RequestOptions } from '../../shared/ui/http/request.ts';
import { createConsoleApi, EVENTS_PATH } from './client.ts';

function recording() {
  const calls: { method: string; path: string; options: RequestOptions }[] = [];
  const api = createConsoleApi(
    (method, path, options = {}) => {
      calls.push({ method, path, options });
      return Promise.resolve(null);
    },
    () => Promise.resolve(new Blob()),
  );
  return { api, calls };
}

const NOTHING = { acknowledged: { words: [], figures: [] }, withoutOpinion: false };

describe('the console API', () => {
  test('a decision carries the version that was seen, and its body only the given fields', async () => {
    const { api, calls } = recording();
    const target = { id: 'e-1', version: 3 };
    await api.approve(target, null, { ...NOTHING, passesOverEdit: false });
    await api.approve(target, null, { ...NOTHING, passesOverEdit: true });
    await api.approve(target, '확인', {
      acknowledged: { words: ['w-1'], figures: ['3건'] },
      withoutOpinion: true,
      passesOverEdit: false,
    });
    await api.approveEdited(target, '고친 글', null, NOTHING);
    await api.approveEdited(target, '고친 글', null, { ...NOTHING, acknowledged: { words: ['w-1'], figures: [] } });
    await api.reject(target, 'FORECAST');
    await api.block(target, 'OTHER: 이유');
    await api.stop(target, 'SOLICITATION');
    await api.moveToReview(target, null);
    await api.unblock(target, '오탐');
    expect(calls.map(({ method, path, options }) => [method, path, options.version, options.body])).toEqual([
      ['POST', '/api/v1/review/items/e-1/approve', 3, {}],
      ['POST', '/api/v1/review/items/e-1/approve', 3, { text: 'RECEIVED' }],
      [
        'POST',
        '/api/v1/review/items/e-1/approve',
        3,
        { comment: '확인', acknowledgedWords: ['w-1'], acknowledgedFigures: ['3건'], withoutOpinion: true },
      ],
      ['POST', '/api/v1/review/items/e-1/approve-edited', 3, { edited_summary: '고친 글' }],
      ['POST', '/api/v1/review/items/e-1/approve-edited', 3, { edited_summary: '고친 글', acknowledgedWords: ['w-1'] }],
      ['POST', '/api/v1/review/items/e-1/reject', 3, { reason: 'FORECAST' }],
      ['POST', '/api/v1/review/items/e-1/block', 3, { reason: 'OTHER: 이유' }],
      ['POST', '/api/v1/explanations/e-1/stop', 3, { reason: 'SOLICITATION' }],
      ['POST', '/api/v1/explanations/e-1/move-to-review', 3, {}],
      ['POST', '/api/v1/explanations/e-1/unblock', 3, { reason: '오탐' }],
    ]);
  });

  test('a list passes its query on, and a signal if given', async () => {
    const { api, calls } = recording();
    const { signal } = new AbortController();
    await api.reviewItems({ page: 2, size: 50, q: '반도체' }, signal);
    expect(calls).toEqual([
      { method: 'GET', path: '/api/v1/review/items', options: { query: { page: 2, size: 50, q: '반도체' }, signal } },
    ]);
  });

  test('the event stream has the path of the policy', () => {
    expect(EVENTS_PATH).toBe('/api/v1/events');
  });
});
