/** The real process beside a real console API: it is killed in the midst of its work, and the file is made all the same. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DossierFixture, IDS } from '../../support/agent/dossier.ts';
import { layOut } from '../../../agent/ledger/inspection/work.ts';
import { chainEnd } from '../../../agent/ledger/audit/audit.ts';
import type { WorkLine } from '../../../electron/console-api/context/inspection-runner.ts';
import { launchProcess } from '../../../electron/console-api/inspection/work-process.ts';
import { entryOf } from '../../support/process.ts';

const ENTRY = entryOf('electron/console-api/main.ts');

async function all(lines: AsyncIterable<WorkLine>): Promise<WorkLine[]> {
  const told: WorkLine[] = [];
  for await (const line of lines) told.push(line);
  return told;
}

test('the process says each step, can be killed at any, and goes on where it stood', async () => {
  const fixture = new DossierFixture();
  try {
    const folder = path.join(fixture.folder, 'request');
    const query = { from: '2026-11-20', to: '2026-11-20' };
    const about = { id: 'r', form: 'ARCHIVE', language: 'en', query, madeBy: 'x' } as const;
    layOut(folder, { ...about, ids: Object.values(IDS), head: chainEnd(fixture.ledger) });
    const complaints: string[] = [];
    const env = { CAUSEWAY_LEDGER: fixture.file, CAUSEWAY_CHECKPOINT_KEY: path.join(fixture.folder, 'key') };
    const launch = launchProcess(ENTRY, env, (line) => complaints.push(line));
    const first = launch(folder);
    const said: WorkLine[] = [];
    for await (const line of first.lines) {
      said.push(line);
      first.end();
    }
    expect(said[0]).toEqual({ done: 1 });
    expect(readdirSync(folder)).not.toContain('archive.zip');
    const lines = await all(launch(folder).lines);
    expect(lines.at(-1)).toMatchObject({ made: { explanations: 3 } });
    expect(lines.length).toBeLessThan(4);
    expect(complaints).toEqual([]);
    // A folder that is gone: the process says so, and says no line of work.
    expect(await all(launch(path.join(fixture.folder, 'none')).lines)).toEqual([]);
    expect(complaints.join('\n')).toContain('ENOENT');
  } finally {
    fixture.close();
  }
}, 60_000);
