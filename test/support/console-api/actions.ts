/** A user's actions on an explanation, for tests: each as a client requests it. */
import type { ExplanationStatus } from '../../../shared/wire/console/console.ts';

/** A decision or operation as a client requests it. */
export interface Action {
  name: string;
  /** Default: POST. */
  method?: 'PATCH';
  url(id: string): string;
  body: Record<string, unknown> | undefined;
  from: ExplanationStatus[];
  /** Null if it stays unchanged. */
  to: ExplanationStatus | null;
  /** The reason that the history keeps. */
  reason: string | null;
}

/** Every transition by a person, listed from D12 by hand. */
export const ACTIONS: Action[] = [
  {
    name: 'approve',
    url: (id) => `/api/v1/review/items/${id}/approve`,
    body: { comment: '좋음' },
    from: ['PENDING_REVIEW'],
    to: 'PUBLISHED',
    reason: '좋음',
  },
  {
    name: 'approve',
    url: (id) => `/api/v1/review/items/${id}/approve`,
    body: undefined,
    from: ['PENDING_REVIEW'],
    to: 'PUBLISHED',
    reason: null,
  },
  {
    name: 'approve-edited',
    url: (id) => `/api/v1/review/items/${id}/approve-edited`,
    body: { edited_summary: '고친 글입니다.' },
    from: ['PENDING_REVIEW'],
    to: 'PUBLISHED',
    reason: null,
  },
  {
    name: 'reject',
    url: (id) => `/api/v1/review/items/${id}/reject`,
    body: { reason: '근거 부족' },
    from: ['PENDING_REVIEW'],
    to: 'REJECTED',
    reason: '근거 부족',
  },
  {
    name: 'block',
    url: (id) => `/api/v1/review/items/${id}/block`,
    body: { reason: '단정적 판단' },
    from: ['PENDING_REVIEW'],
    to: 'BLOCKED',
    reason: '단정적 판단',
  },
  {
    name: 'stop',
    url: (id) => `/api/v1/explanations/${id}/stop`,
    body: { reason: '수치 불일치' },
    from: ['AUTO_PUBLISHED', 'PUBLISHED'],
    to: 'STOPPED',
    reason: '수치 불일치',
  },
  {
    name: 'move-to-review',
    url: (id) => `/api/v1/explanations/${id}/move-to-review`,
    body: { reason: '다시 봄' },
    from: ['AUTO_PUBLISHED', 'PUBLISHED', 'STOPPED'],
    to: 'PENDING_REVIEW',
    reason: '다시 봄',
  },
  {
    name: 'move-to-review',
    url: (id) => `/api/v1/explanations/${id}/move-to-review`,
    body: undefined,
    from: ['AUTO_PUBLISHED', 'PUBLISHED', 'STOPPED'],
    to: 'PENDING_REVIEW',
    reason: null,
  },
  {
    name: 'unblock',
    url: (id) => `/api/v1/explanations/${id}/unblock`,
    body: { reason: '오탐' },
    from: ['BLOCKED'],
    to: 'PENDING_REVIEW',
    reason: '오탐',
  },
  {
    name: 'correct',
    method: 'PATCH',
    url: (id) => `/api/v1/explanations/${id}/final`,
    body: { published_summary: '바로잡은 글입니다.', reason: '오기' },
    from: ['AUTO_PUBLISHED', 'PUBLISHED'],
    to: null,
    reason: '오기',
  },
];
