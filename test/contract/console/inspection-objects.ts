/** Requests of an inspector in each state, as objects of the writes under test. */
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addRequest, finishRequest, stopRequest } from '../../../agent/ledger/inspection/requests.ts';
import type { Launch } from '../../../electron/console-api/context/inspection-runner.ts';
import { memberId, type TestConsole } from '../../support/console-api/console.ts';

const CONTENT = 'x';
const DAY = { from: '2026-11-20', to: '2026-11-20' };

/** Work that takes until it is ended. */
export const unending: Launch = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return {
    lines: (async function* () {
      yield { done: 0 };
      await promise;
    })(),
    end: () => resolve(undefined),
  };
};

/** The id of a request that has stopped, or whose file is made. */
export function inspection(console: TestConsole, state: 'STOPPED' | 'READY'): string {
  const id = console.id();
  const at = console.now.toISOString();
  const actor = { kind: 'MEMBER', id: memberId('TENANT_ADMIN'), displayName: '관리자', role: 'TENANT_ADMIN' } as const;
  console.ledger.write((tx) => {
    addRequest(tx, { id, form: 'LIST', language: 'ko', query: DAY, total: 1, outcomes: [] }, actor, at);
    if (state === 'STOPPED') stopRequest(tx, id, { stop: 'DISK_FULL', message: null }, at);
    else {
      const digest = { sha256: hash('sha256', CONTENT), listSha256: hash('sha256', CONTENT) };
      const made = { file: 'list.csv', bytes: CONTENT.length, ...digest, explanations: 1, outcomes: [] };
      finishRequest(tx, id, made, actor, at);
    }
  });
  const folder = console.inspections.folderOf(id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'request.json'), '{}');
  writeFileSync(path.join(folder, 'list.csv'), CONTENT);
  return id;
}

/** The cases of the writes about such a request. */
export function inspectionCases(opened: () => TestConsole, waiting: () => string) {
  const as = 'TENANT_ADMIN' as const;
  const body = (more: object = {}) => {
    waiting();
    opened().launch = unending;
    return { ...DAY, ...more };
  };
  return {
    'POST /api/v1/inspections/counts': { as, body: () => body(), action: null },
    'POST /api/v1/inspections': { as, body: () => body({ form: 'LIST', language: 'ko' }), action: 'inspection.ask' },
    'POST /api/v1/inspections/{id}/continue': {
      as,
      parameter: () => {
        opened().launch = unending;
        return inspection(opened(), 'STOPPED');
      },
      action: 'inspection.continue',
    },
    'POST /api/v1/inspections/{id}/download': {
      as,
      parameter: () => inspection(opened(), 'READY'),
      action: 'inspection.download',
    },
    'DELETE /api/v1/inspections/{id}': {
      as,
      parameter: () => inspection(opened(), 'READY'),
      action: 'inspection.delete',
    },
  } as const;
}
