/** Reads `policy.txt`, and the tables of `shared/contract/console-api.md` in the same form. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readTables } from '../contract-text.ts';

export const SHORT_ROLES = ['TA', 'CR', 'OP', 'RO'] as const;
export type ShortRole = (typeof SHORT_ROLES)[number];

export interface ExpectedRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** Empty: no session is needed. */
  roles: ShortRole[];
  /** Id in the matrix; null for acts that every member may do on their own account. */
  functionId: string | null;
  section: string;
}

export interface ExpectedFunction {
  id: string;
  roles: ShortRole[];
  section: string;
}

export interface ExpectedPolicy {
  routes: ExpectedRoute[];
  functions: ExpectedFunction[];
}

const ROUTE = /^(GET|POST|PUT|PATCH|DELETE)\s+(\S+)\s+(none|any|(?:TA|CR|OP|RO)(?: (?:TA|CR|OP|RO))*)\s+(\S+)$/;
const FUNCTION = /^(\S+)\s+((?:TA|CR|OP|RO)(?: (?:TA|CR|OP|RO))*)$/;

export function readExpectedPolicy(): ExpectedPolicy {
  const policy: ExpectedPolicy = { routes: [], functions: [] };
  let section = '';
  for (const line of readFileSync(path.join(import.meta.dirname, 'policy.txt'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const heading = /^\[(.+)\]$/.exec(line)?.[1];
    if (heading !== undefined) {
      section = heading;
    } else if (section.startsWith('endpoints')) {
      const [, method, route, roles, functionId] = ROUTE.exec(line) ?? unreadable(line);
      policy.routes.push({
        method: method as ExpectedRoute['method'],
        path: route ?? '',
        roles: rolesOf(roles ?? ''),
        functionId: functionId === '-' ? null : (functionId ?? null),
        section,
      });
    } else {
      const [, id = '', roles = ''] = FUNCTION.exec(line) ?? unreadable(line);
      policy.functions.push({ id, roles: rolesOf(roles), section });
    }
  }
  return policy;
}

function unreadable(line: string): never {
  throw new Error(`policy.txt has a line that cannot be read: ${line}`);
}

function rolesOf(text: string): ShortRole[] {
  if (text === 'none') return [];
  return text === 'any' ? [...SHORT_ROLES] : SHORT_ROLES.filter((role) => text.split(' ').includes(role));
}

/** The tables of the page of the console API: the endpoints of section 4, the rows of D17, and both of the matrix. */
export function readContract(): { endpoints: string[]; d17: string[]; matrix: string[] } {
  const tables = readTables('console-api.md');
  const rowsUnder = (head: string) =>
    tables.filter(([first]) => first?.join() === head).flatMap((rows) => rows.slice(1));
  return {
    endpoints: rowsUnder('Method,Path,Purpose,Required role').map(([method, route, , roles]) =>
      routeLine(method, route, roles),
    ),
    d17: rowsUnder('Method,Path,Role').flatMap(([method, routes = '', roles]) =>
      paths(routes).map((route) => routeLine(method, route, roles)),
    ),
    matrix: rowsUnder('Id,Menu,Function,TA,CR,OP,RO').map(
      ([id, , , ...marks]) => `${id} ${SHORT_ROLES.filter((_, at) => marks[at] === 'Y').join(' ')}`,
    ),
  };
}

/** The paths in a cell. */
function paths(cell: string): string[] {
  return cell.match(/\/api\/v1\/[^\s,;]+/g) ?? [];
}

/** Method, path and roles as one line. */
function routeLine(method = '', route = '', roles = ''): string {
  const named = SHORT_ROLES.filter((role) => new RegExp(`\\b${role}\\b`).test(roles.split(';')[0] ?? ''));
  const who = roles.startsWith('none') ? 'none' : roles.startsWith('any') ? SHORT_ROLES.join(' ') : named.join(' ');
  return `${method} ${route} ${who}`;
}

/** A route of the file in the same form. */
export function lineOf({ method, path: route, roles }: ExpectedRoute): string {
  return `${method} ${route} ${roles.length === 0 ? 'none' : roles.join(' ')}`;
}
