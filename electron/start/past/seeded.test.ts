/** Two lives of one seed are the same (`past.test.ts`, in the deep suite): nothing here may ask the machine. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../../test/support/process.ts';

/** The process itself, which lives a past up to the present moment; a token that no row has; the chance of a demo that goes on. */
const ASK_THE_MACHINE = [
  'cloud/demo/generation/random.ts',
  'electron/start/past/main.ts',
  'electron/start/past/vendor.ts',
];
const MACHINE =
  /\bnew Date\(\)|\b(?:Date|performance)\.now\b|\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bsystem(?:Clock|Ids|Random)\b/u;

test('a past has its moments and its chances from its seed alone', () => {
  const files = globSync(['electron/start/past/*.ts', 'cloud/demo/generation/*.ts'], { cwd: PROJECT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => MACHINE.test(readFileSync(path.join(PROJECT, file), 'utf8'))).toSorted()).toEqual(
    ASK_THE_MACHINE,
  );
});
