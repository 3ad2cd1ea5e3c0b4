/** Reads `policy.txt`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface ExpectedRoute {
  method: string;
  path: string;
  access: 'none' | 'operator';
  section: string;
}

export function readExpected(): ExpectedRoute[] {
  let section = '';
  return readFileSync(path.join(import.meta.dirname, 'policy.txt'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line === '' || line.startsWith('#')) return [];
      const heading = /^\[(.+)\]$/.exec(line)?.[1];
      if (heading !== undefined) {
        section = heading;
        return [];
      }
      const [, method = '', route = '', access] =
        /^(GET|POST|PATCH) +(\/\S+) +(none|operator)$/.exec(line) ?? unreadable(line);
      return [{ method, path: route, access: access as ExpectedRoute['access'], section }];
    });
}

function unreadable(line: string): never {
  throw new Error(`policy.txt has a line that cannot be read: ${line}`);
}
