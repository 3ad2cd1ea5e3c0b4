/** The folders on Windows: in which order they are made, and a user of the machine who tries to be first. */
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { rightsIn } from '../../../shared/service/windows-rights.ts';
import { PART_NAMES, PARTS, type PartName } from '../install/parts.ts';
import { windowsPlaces } from '../install/places.ts';
import { MALLORY, WindowsOfTests } from '../../../test/support/agent/windows.ts';
import { prepareFolders, refuseLinks, serviceSid, sidOfService } from './windows-folders.ts';

const HOME = 'C:\\ProgramData\\Causeway';
let windows: WindowsOfTests;
beforeEach(() => {
  windows = new WindowsOfTests();
});

const sharing = PART_NAMES.filter((part) => PARTS[part].user === 'causeway').map(serviceSid);
const install = (part: PartName = 'intake'): Promise<boolean> =>
  prepareFolders({ part, places: windowsPlaces(part, {}), sharing }, () => Promise.resolve('CAUSEWAY_A=1\n'), windows);

test('the SID of a service follows from its name, as Windows has it for its own installer', () => {
  // Windows' own example: NT SERVICE\TrustedInstaller.
  expect(sidOfService('TrustedInstaller')).toBe('S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464');
  expect(new Set(PART_NAMES.map((part) => serviceSid(part))).size).toBe(PART_NAMES.length);
});

test('nothing is written before the folder’s inheritance is off, and each service gets its own', async () => {
  expect(await install()).toBe(false);
  const own = serviceSid('intake');
  expect(windows.calls).toEqual([
    `mkdir ${HOME}`,
    `icacls ${HOME} /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F *S-1-5-32-545:RX /Q`,
    `rights ${HOME}`,
    `mkdir ${HOME}\\logs`,
    `rights ${HOME}\\logs`,
    `mkdir ${HOME}\\logs\\intake`,
    `rights ${HOME}\\logs\\intake`,
    `mkdir ${HOME}\\data`,
    `rights ${HOME}\\data`,
    `icacls ${HOME}\\logs\\intake /grant:r *${own}:(OI)(CI)M /Q`,
    `icacls ${HOME}\\data /grant:r *${own}:(OI)(CI)M /Q`,
    `write ${HOME}\\intake.env`,
    `icacls ${HOME}\\intake.env /grant:r *${own}:R /Q`,
  ]);
  for (const [place] of windows.places)
    if (place.startsWith(`${HOME}\\`)) expect([place, windows.isReadable(place)]).toEqual([place, false]);
  expect(rightsIn(windows.sddl(HOME)).isProtected).toBe(true);
  expect(rightsIn(windows.sddl(`${HOME}\\intake.env`)).writers).not.toContain(own);
  // The next part finds the folders in order, and so does an existing one.
  expect(await install('backup')).toBe(false);
  expect(await install('intake')).toBe(true);
  const strangers = rightsIn(windows.sddl(`${HOME}\\logs\\intake`)).writers.filter((sid) => sid.startsWith('S-1-5-80'));
  expect(strangers).toEqual([own]);
});

const PLANTED = [
  `${HOME}\\backup.env`,
  `${HOME}\\console.json`,
  `${HOME}\\intake.env`,
  `${HOME}\\data`,
  `${HOME}\\logs`,
];

describe('a user of the machine', () => {
  test.each(PLANTED)('who created a folder first, with %s in it, is reported', async (place) => {
    expect(windows.plant(HOME, 'folder')).toBe(true);
    expect(windows.plant(place, 'file')).toBe(true);
    const before = windows.sddl(HOME);
    await expect(install()).rejects.toThrow(
      `${HOME} is not the administrators' alone: it belongs to ${MALLORY}. Find out`,
    );
    expect([windows.sddl(HOME), windows.places.get(place)?.text]).toEqual([before, 'CAUSEWAY_LEDGER=planted']);
    expect(windows.calls.some((call) => call.startsWith('write') || call.startsWith('icacls'))).toBe(false);
  });

  test('cannot exploit a folder that an administrator has made by hand', async () => {
    windows.make(HOME);
    await expect(install()).rejects.toThrow(`S-1-5-32-545 may write there`);
  });

  test.each(PLANTED)('who puts %s there at any moment is reported, or comes too late', async (place) => {
    let planted = 0;
    windows.meanwhile = () => {
      if (windows.kindOf(HOME) === 'there' && windows.plant(place, 'file')) planted += 1;
    };
    await expect(install()).rejects.toThrow(`${place} was put there while ${HOME} was made. Find out`);
    expect([planted, windows.calls.at(-1)]).toEqual([1, expect.stringContaining('/inheritance:r')]);
    expect(windows.calls.some((call) => call.startsWith('write'))).toBe(false);
  });

  test('gets in nowhere once the folder is stripped', async () => {
    windows.meanwhile = () => {
      if (windows.calls.some((call) => call.includes('/inheritance:r')))
        for (const place of [...PLANTED, `${HOME}\\logs\\intake\\x`, `${HOME}\\data\\x`])
          if (windows.kindOf(path.win32.dirname(place)) === 'there') expect(windows.plant(place, 'file')).toBe(false);
    };
    await install();
  });

  test('who has put a link in the place of a folder is refused', async () => {
    windows.plant(HOME, 'link');
    await expect(install()).rejects.toThrow(`${HOME} is a link to somewhere else`);
  });
});

test('settings that a service may write are refused', async () => {
  await install();
  await windows.icacls(`${HOME}\\intake.env`, '/grant:r', `*${serviceSid('intake')}:M`, '/Q');
  await expect(install()).rejects.toThrow(
    `intake.env is not the administrators' alone: ${serviceSid('intake')} may write`,
  );
});

test('an administrator’s command follows no link below the data of a service', () => {
  windows.make(HOME);
  windows.make(`${HOME}\\relay`);
  expect(() => refuseLinks(`${HOME}\\relay\\pki\\relay.key`, HOME, windows)).not.toThrow();
  windows.plant(`${HOME}\\relay\\pki`, 'link');
  expect(() => refuseLinks(`${HOME}\\relay\\pki\\relay.key`, HOME, windows)).toThrow('pki is a link to somewhere else');
});
