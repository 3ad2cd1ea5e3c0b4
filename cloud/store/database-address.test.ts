/** Addresses of the database as libpq writes them. */
import { describe, expect, test } from 'vitest';
import { readDatabaseAddress } from './database-address.ts';

test('one host is used as it is written', () => {
  expect(readDatabaseAddress('postgres://user:p%2Fw@host:5433/causeway?sslmode=verify-full')).toEqual({
    hosts: ['postgres://user:p%2Fw@host:5433/causeway?sslmode=verify-full'],
    writesNeeded: false,
    options: null,
  });
});

describe('several hosts', () => {
  test('each host has an address of its own, with all other parts of the whole', () => {
    expect(
      readDatabaseAddress(
        'postgresql://user:a%40b@one:5432,[::1]:5433,three/causeway?target_session_attrs=read-write&sslmode=require',
      ),
    ).toEqual({
      hosts: [
        'postgresql://user:a%40b@one:5432/causeway?sslmode=require',
        'postgresql://user:a%40b@[::1]:5433/causeway?sslmode=require',
        'postgresql://user:a%40b@three/causeway?sslmode=require',
      ],
      writesNeeded: true,
      options: null,
    });
  });

  test('the writable host is used, with and without the parameter in the address', () => {
    expect(readDatabaseAddress('postgres://one,two/db').writesNeeded).toBe(true);
    expect(readDatabaseAddress('postgres://one/db?target_session_attrs=read-write').writesNeeded).toBe(true);
  });

  test('settings of the session are read once', () => {
    const { options, hosts } = readDatabaseAddress('postgres://one,two/db?options=-c%20lock_timeout%3D50');
    expect(options).toBe('-c lock_timeout=50');
    expect(hosts).toEqual(['postgres://one/db', 'postgres://two/db']);
  });
});

test.each([
  ['mysql://host/db', 'must begin with postgres://'],
  ['host', 'must be a PostgreSQL address'],
  ['postgres://user:p/w@host/db', 'must be a PostgreSQL address'],
  ['postgres://one:x,two/db', 'must be a PostgreSQL address'],
  ['postgres://one,/db', 'must be a PostgreSQL address'],
  ['postgres://one,two/db?target_session_attrs=standby', 'can have target_session_attrs=read-write alone'],
])('%s is refused: %s', (address, why) => {
  expect(() => readDatabaseAddress(address)).toThrow(why);
});
