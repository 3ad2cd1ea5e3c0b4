/** The repository's workflows: what they run is fixed, and a key is in reach of the step that needs it alone. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/process.ts';

const FOLDER = path.join(PROJECT, '.github/workflows');
const workflows = readdirSync(FOLDER).map((name) => [name, readFileSync(path.join(FOLDER, name), 'utf8')] as const);

test.each(workflows)('%s names every action of others by its commit', (_name, text) => {
  const used = [...text.matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, action = '']) => action);
  for (const action of used) expect(action).toMatch(/^(?:\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/);
});

test.each(workflows)('%s gives secrets to single steps', (_name, text) => {
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    if (!line.includes('secrets.')) continue;
    // The environment of a step stands deeper than that of a job.
    const block = lines.slice(0, at).findLast((one) => /^\s*env:\s*$/.test(one)) ?? '';
    expect(block.search(/\S/), line).toBeGreaterThanOrEqual(8);
  }
});

test('the key of releases is in reach of no step that builds', () => {
  const release = workflows.find(([name]) => name === 'release.yml')?.[1] ?? '';
  const steps = release.split(/^ {6}- /m);
  const holding = steps.filter((step) => step.includes('secrets.'));
  expect(holding.map((step) => /^name: (.*)$/m.exec(step)?.[1])).toEqual(['Sign']);
  for (const step of holding) expect(step).not.toMatch(/run\.js package/);
});
