/** A command whose reader closes the pipe ends without an error of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const TERMINAL = pathToFileURL(path.join(import.meta.dirname, 'terminal.ts')).href;
const MANY = `const { print } = await import('${TERMINAL}'); for (let line = 0; line < 50_000; line += 1) print('x'.repeat(100));`;

test('a reader that has seen enough is no error', async () => {
  const command = spawn(process.execPath, ['--input-type=module', '--eval', MANY], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complained = '';
  command.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
  await once(command.stdout, 'data');
  command.stdout.destroy();
  expect(await once(command, 'close')).toEqual([0, null]);
  expect(complained).toBe('');
});
