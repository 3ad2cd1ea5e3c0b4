import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROLES, type Role } from '../../../shared/policy/roles.ts';
import { newUsername } from '../http/schemas.ts';
import { namesOf, rolesOf } from './sso-claims.ts';
import { claimOf, isLeftOut } from '../context/claims.ts';

const VALUES = new Map<string, Role>(ROLES.map((role) => [`group of ${role}`, role]));

describe('the role claim', () => {
  test.each([
    [{ roles: ['a'] }, 'roles', ['a']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    // A name with dots is first tried as a name.
    [{ 'https://causeway.example/roles': 'a' }, 'https://causeway.example/roles', 'a'],
    // So is each step of a path: a client id may hold dots.
    [{ resource_access: { 'my.console.app': { roles: ['a'] } } }, 'resource_access.my.console.app.roles', ['a']],
    [{ 'a.b': {}, a: { 'b.c': 'deep' } }, 'a.b.c', 'deep'],
    [{ 'a.b': { c: 'near' }, a: { b: { c: 'far' } } }, 'a.b.c', 'near'],
    [{ roles: ['a'] }, 'roles.length.x', undefined],
    [{ realm_access: null }, 'realm_access.roles', undefined],
    [{}, 'constructor.name', undefined],
    [{}, '__proto__', undefined],
  ])('%j under %s', (claims, name, expected) => {
    expect(claimOf(claims, name)).toEqual(expected);
  });

  test.each([
    [{ _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } }, true],
    [{ hasgroups: true }, true],
    [{ hasgroups: 'true' }, true],
    [{ hasgroups: false, _claim_names: { other: 'src1' } }, false],
    [{}, false],
  ])('of groups in %j is left out: %s', (claims, isSo) => {
    expect(isLeftOut(claims, 'groups')).toBe(isSo);
    expect(isLeftOut({ ...claims, _claim_names: undefined }, 'roles')).toBe(false);
  });

  test('gives the roles of the values that it holds, each once, and nothing for anything else', () => {
    fc.assert(
      fc.property(fc.anything(), fc.subarray([...ROLES]), (odd, roles) => {
        const values = roles.map((role) => `group of ${role}`);
        expect(rolesOf([...values, 'another', ...values], VALUES)).toEqual(roles);
        if (typeof odd !== 'string' && !Array.isArray(odd)) expect(rolesOf(odd, VALUES)).toEqual([]);
      }),
    );
    expect(rolesOf('group of OPERATOR', VALUES)).toEqual(['OPERATOR']);
    expect(rolesOf('group of operator', VALUES)).toEqual([]);
  });
});

describe('names', () => {
  const identity = { issuer: 'https://id.example', subject: 's' };

  test('any claims of the provider give names that an account may have, and the last is unique to the person', () => {
    const text = fc.option(fc.oneof(fc.string(), fc.constantFrom('kim', 'kim@firm.example', 'SYSTEM', '김')));
    fc.assert(
      fc.property(text, text, text, (preferred_username, email, name) => {
        const { usernames, displayName } = namesOf({ preferred_username, email, name }, identity);
        for (const one of usernames) expect(newUsername.safeParse(one).success).toBe(true);
        expect(usernames.at(-1)).toMatch(/^user-[0-9a-f]{12}$/);
        expect(displayName.trim()).not.toBe('');
        expect(displayName.toUpperCase()).not.toBe('SYSTEM');
      }),
    );
  });

  test('the best first, and two people of the same name get different ones', () => {
    const claims = { preferred_username: 'kim', email: 'kim@firm.example', name: '김 심사' };
    const [mine, other] = [namesOf(claims, identity), namesOf(claims, { ...identity, subject: 't' })];
    expect(mine.displayName).toBe('김 심사');
    expect(mine.usernames.slice(0, 2)).toEqual(['kim', 'kim@firm.example']);
    expect(mine.usernames.slice(2)).not.toEqual(other.usernames.slice(2));
  });
});
