/** The installer for Windows: the allowed program folders, and the folder that it creates for managed settings. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builderConfiguration } from './builder.ts';

const { nsis } = builderConfiguration({
  ...{ services: '', renderer: '', icon: '', node: '', output: '', isTest: false, signing: null },
  electron: { dist: '', version: '' },
});
const SCRIPT = String(nsis?.include);

test('installs for the whole machine, and only where users cannot replace the program', () => {
  expect(nsis).toMatchObject({ perMachine: true, allowToChangeInstallationDirectory: false });
});

test('a folder that it creates inherits no rights, before it has any content; an existing one stays as it is', () => {
  const steps = readFileSync(SCRIPT, 'utf8')
    .split('\n')
    .filter((line) => /IfFileExists|CreateDirectory|icacls|is_there:/.test(line));
  expect(steps.map((step) => step.trim().split(' ')[0])).toEqual([
    ...['IfFileExists', 'CreateDirectory', 'nsExec::ExecToLog', 'causeway_folder_is_there:'],
  ]);
  expect(steps[2]).toContain(
    '$SYSDIR\\icacls.exe" "$R0\\Causeway" /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F *S-1-5-32-545:RX /Q',
  );
});

test('the installer’s own compiler accepts it', ({ skip }) => {
  if (spawnSync('makensis', ['-VERSION']).status !== 0) skip('NOT CHECKED: there is no makensis here');
  const folder = mkdtempSync(join(tmpdir(), 'causeway-nsis-'));
  const [name, made] = [join(folder, 'a.nsi'), join(folder, 'a.exe')];
  writeFileSync(
    name,
    `OutFile "${made}"\nUnicode true\nRequestExecutionLevel user\n!include "${SCRIPT}"\nSection\n!insertmacro customInstall\nSectionEnd\n`,
  );
  const { status, stdout } = spawnSync('makensis', ['-WX', name], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect({ status, stdout }).toMatchObject({ status: 0 });
});
