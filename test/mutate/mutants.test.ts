/** The mutants of small sources, and a run that must kill one of them and let another live. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { mutate } from './mutants.ts';
import { sampleOf } from './sample.ts';
import { tryMutants, UnsoundTestsError } from './session.ts';
import { isEnough, scoreTable, survivorLines } from './table.ts';

const made = (source: string): string[] =>
  mutate('a.ts', source).mutants.map(({ operator, before, after }) => `${operator}: ${before} -> ${after}`);

test('comparisons, conditions and early returns', () => {
  expect(made('export function f(a: number) { if (a < 3) return true; return a === 4; }')).toEqual([
    'condition: a < 3 -> true',
    'condition: a < 3 -> false',
    'boundary: a < 3 -> a <= 3',
    'number: 3 -> 4',
    'removed return: return true; -> ',
    'boolean: true -> false',
    'comparison: a === 4 -> a !== 4',
    'number: 4 -> 5',
  ]);
});

test('statements, properties, elements and links', () => {
  expect(made("const x = { a, b: [c, d].filter(e) }; run(x); throw new Error('why');")).toEqual([
    'removed property: a -> ',
    'removed property: b: [c, d].filter(e) -> ',
    'removed .filter(): [c, d].filter(e) -> [c, d]',
    'array: [c, d] -> []',
    'removed element: c -> ',
    'removed element: d -> ',
    'removed statement: run(x); -> ',
    "removed throw: throw new Error('why'); -> ",
  ]);
});

test('defaults, chains and signs', () => {
  expect(made("const y = (a?.b ?? -c) + d; const z = !e && 'x';")).toEqual([
    'arithmetic: (a?.b ?? -c) + d -> (a?.b ?? -c) - d',
    'default: a?.b ?? -c -> a?.b',
    'default: a?.b ?? -c -> -c',
    'optional chaining: a?.b -> a.b',
    'negation: -c -> c',
    "logical: !e && 'x' -> (!e) || ('x')",
    'negation: !e -> e',
    "string: 'x' -> ''",
  ]);
});

test('the value behind an index is there for the type', () => {
  expect(made('const y = a[b] ?? 0; const z = c.d ?? 0;')).toEqual([
    'default: a[b] ?? 0 -> 0',
    'default: c.d ?? 0 -> c.d',
    'default: c.d ?? 0 -> 0',
    'number: 0 -> 1',
  ]);
});

test('words of SQL, but no assignment and no key', () => {
  expect(made("const s = 'UPDATE t SET a = ? WHERE b = ? AND c IS NULL';").map((one) => one.split(' -> ')[1])).toEqual([
    "'UPDATE t SET a = ? WHERE b = ? OR c IS NULL'",
    "'UPDATE t SET a = ? WHERE b = ? AND c IS NOT NULL'",
    "'UPDATE t SET a = ? WHERE b <> ? AND c IS NULL'",
  ]);
});

test('no mutant of types, imports, keys, messages and log lines', () => {
  expect(made("import a from 'b'; type T = 'c' | 1; const x: T = f<'d'>(); interface I { e: 'f' }")).toEqual([]);
  expect(made("class E extends Error { constructor() { super('a'); this.name = 'b'; } }")).toEqual([]);
  expect(made("class E extends Error { override name = 'b'; }")).toEqual([]);
});

test('the compiled text is the original until a mutant is on', () => {
  const { mutants, compiled } = mutate(
    'a.js',
    "const a = [1, { b: '한글' }]; if (a.length > 1) a.push(5); globalThis.__made = a;",
  );
  const run = (active: number | null): string => {
    const scope: Record<string, unknown> = active === null ? {} : { __causewayMutation: { active, asked: 0 } };
    runInNewContext(compiled(new Set(mutants.map(({ id }) => id))), scope);
    return JSON.stringify(scope['__made']);
  };
  const whole = '[1,{"b":"한글"},5]';
  expect(run(null)).toBe(whole);
  const changed = Object.fromEntries(mutants.map(({ id, operator, before }) => [`${operator}: ${before}`, run(id)]));
  expect(changed['removed element: 1']).toBe('[{"b":"한글"}]');
  expect(changed["removed property: b: '한글'"]).toBe('[1,{},5]');
  expect(changed['condition: a.length > 1']).toBe('[1,{"b":"한글"}]');
});

test('a sample is the same for the same seed', () => {
  const items = Array.from({ length: 100 }, (_, at) => at);
  expect(sampleOf(items, 10, 7)).toEqual(sampleOf(items, 10, 7));
  expect(sampleOf(items, 10, 7)).not.toEqual(sampleOf(items, 10, 8));
  expect(sampleOf(items, 10, 7)).toHaveLength(10);
});

let folder: string | undefined;
const reached: string[] = [];
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function project(testText: string): { root: string; source: string } {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-mutate-test-'));
  symlinkSync(path.resolve(import.meta.dirname, '../../node_modules'), path.join(folder, 'node_modules'));
  const source =
    'export const isAdult = (age: number): boolean => age >= 18;\nexport const unused = (): number => 1;\n';
  writeFileSync(path.join(folder, 'age.ts'), source);
  writeFileSync(path.join(folder, 'age.test.ts'), testText);
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  return { root: folder, source };
}

const tryAll = async (root: string, source: string, chosen?: number, tests = ['age.test.ts']) => {
  const mutants = mutate('age.ts', source).mutants.filter(({ id }) => chosen === undefined || id === chosen);
  const tried = await tryMutants({
    root,
    mutants: mutants.map(({ id, atLoad }) => ({ number: id, file: 'age.ts', id, atLoad })),
    tests,
    slowest: 10_000,
    say: (line) => reached.push(line.split(',')[0] ?? ''),
  });
  return mutants.map((mutant) => ({
    file: 'age.ts',
    ...mutant,
    ...(tried.get(mutant.id) ?? { killedBy: null, ran: 0 }),
  }));
};

test('a run kills what the tests notice, and lets live what they do not', async () => {
  const { root, source } = project(`
    import { expect, test } from 'vitest';
    import { isAdult } from './age.ts';
    test('ages', () => { expect([isAdult(17), isAdult(30)]).toEqual([false, true]); });
  `);
  const mutants = await tryAll(root, source);
  expect(mutants.map(({ after, killedBy, ran }) => [after, killedBy?.split(':')[1]?.trim() ?? null, ran])).toEqual([
    ['age > 18', null, 1],
    ['age < 18', 'ages', 1],
    ['19', null, 1],
    ['2', null, 0],
  ]);
  // No compiled module of a former run is taken: it holds other mutants.
  // A file that notices nothing takes no kill back, and is not asked.
  writeFileSync(
    path.join(root, 'none.test.ts'),
    "import { test } from 'vitest'; import { isAdult } from './age.ts'; test('none', () => { isAdult(3); });",
  );
  const again = await tryAll(root, source, 1, ['age.test.ts', 'none.test.ts']);
  expect(again).toMatchObject([{ after: 'age < 18', ran: 1 }]);
  expect(again[0]?.killedBy).toContain('ages');
  expect(reached).toEqual([
    'age.test.ts: 1 tests reach 3 mutants',
    'age.test.ts: 1 tests reach 1 mutants',
    'none.test.ts: 1 tests reach 1 mutants',
  ]);
  const result = { folder: 'x', seconds: 1, target: 0.5, mutants };
  expect(isEnough(result)).toBe(false);
  expect(isEnough({ ...result, target: 0.25 })).toBe(true);
  expect(scoreTable([result])).toContain('| `x` | 4 | 1 | 3 | 1 | 25.0 % |');
  expect(survivorLines(result)).toHaveLength(3);
});

test('tests that fail without a mutant, or that do not run, prove nothing', async () => {
  const { root, source } = project("import { test } from 'vitest'; test('no', () => { throw new Error('broken'); });");
  await expect(tryAll(root, source)).rejects.toThrow(UnsoundTestsError);
  writeFileSync(path.join(root, 'age.test.ts'), "import { test } from 'vitest'; test['skip']('no', () => undefined);");
  await expect(tryAll(root, source)).rejects.toThrow('no test ran');
});
