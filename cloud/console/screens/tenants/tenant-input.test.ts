import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../../../../shared/ui/http/request.ts';
import { EMPTY_TENANT, faultsOf, newTenantOf, type TypedTenant } from './tenant-input.ts';

const WHOLE: TypedTenant = {
  name: ' 한국증권 ',
  environment: 'POC',
  adminName: '김관리',
  adminEmail: ' admin@hankook.example ',
  memo: ' ',
};

describe('a new tenant', () => {
  test('is sent trimmed, without an empty memo', () => {
    expect(newTenantOf(WHOLE)).toEqual({
      name: '한국증권',
      environment: 'POC',
      adminName: '김관리',
      adminEmail: 'admin@hankook.example',
      memo: null,
    });
  });
  test('all missing values are named at once', () => {
    expect(newTenantOf({ ...EMPTY_TENANT, name: ' ' })).toEqual({
      faults: { name: 'missing', environment: 'missing', adminName: 'missing', adminEmail: 'missing' },
    });
    expect(newTenantOf({ ...WHOLE, adminEmail: 'admin' })).toEqual({ faults: { adminEmail: 'email' } });
  });
  test('a refusal of the API is shown at its field', () => {
    const problem = (status: number, ...paths: string[]): ApiProblem =>
      new ApiProblem({
        status,
        code: status === 409 ? 'COMMON409' : 'COMMON400',
        message: 'no',
        fieldErrors: paths.map((path) => ({ path, message: 'no' })),
        requestId: null,
      });
    expect(faultsOf(problem(409, 'body.name'))).toEqual({ name: 'taken' });
    expect(faultsOf(problem(400, 'body.memo', 'body.adminEmail', 'body'))).toEqual({
      memo: 'refused',
      adminEmail: 'email',
    });
    expect(faultsOf(problem(400, 'body'))).toEqual({});
  });
});
