/** Security descriptors as Windows writes them. */
import { expect, test } from 'vitest';
import { ADMINISTRATORS, OF_THE_SYSTEM, rightsCall, rightsIn, strangerIn, SYSTEM } from './windows-rights.ts';

const judged = (sddl: string): string | null => strangerIn(rightsIn(sddl), OF_THE_SYSTEM);
const TI = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464';

test('the folders of an installation belong to the system alone', () => {
  const sddl = 'O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)';
  expect(rightsIn(sddl)).toEqual({ owner: ADMINISTRATORS, isProtected: true, writers: [SYSTEM, ADMINISTRATORS] });
  expect(judged(sddl)).toBeNull();
  expect(judged(`${sddl}(A;;0x1200a9;;;BU)(A;;FR;;;WD)S:AI`), 'others may read').toBeNull();
  expect(judged(`O:${TI}G:${TI}D:P(A;;FA;;;${TI})(A;CIIO;GA;;;CO)(D;;FA;;;BU)`)).toBeNull();
});

// The rights that a folder made in ProgramData inherits, on Windows 11.
const OF_PROGRAM_DATA =
  '(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)';

test.each([
  ['what ProgramData gives', `O:BAG:SYD:AI${OF_PROGRAM_DATA}`, 'S-1-5-32-545 may write there'],
  [
    'a folder that a user has made',
    `O:S-1-5-21-1-2-3-1001G:SYD:AI${OF_PROGRAM_DATA}`,
    'it belongs to S-1-5-21-1-2-3-1001',
  ],
  ['no list at all', 'O:BAG:SYD:NO_ACCESS_CONTROL', 'it belongs to an unknown owner'],
  ['no owner', 'D:P(A;;FA;;;SY)', 'it belongs to an unknown owner'],
  ['nothing', '', 'it belongs to an unknown owner'],
  ['one that goes on behind', 'O:BAG:SYD:P(A;;FA;;;SY)(A;;FA;;;BU', 'it belongs to an unknown owner'],
  ['everybody', 'O:BAG:SYD:P(A;;FA;;;WD)', 'S-1-1-0 may write there'],
  ['only for what is made in it', 'O:BAG:SYD:P(A;OICIIO;FA;;;AU)', 'S-1-5-11 may write there'],
  ['under a condition', 'O:BAG:SYD:P(XA;;FA;;;BU;(@User.x == 1))', 'it belongs to an unknown owner'],
  ['rights that are not known', 'O:BAG:SYD:P(A;;QQ;;;BU)', 'S-1-5-32-545 may write there'],
  ['a service', 'O:BAG:SYD:P(A;;0x1301bf;;;S-1-5-80-1-2-3-4-5)', 'S-1-5-80-1-2-3-4-5 may write there'],
])('%s is not', (_, sddl, why) => {
  expect(judged(sddl)).toBe(why);
});

test.each([
  '0x2',
  '0x4',
  '0x40',
  '0x10000',
  '0x40000',
  '0x80000',
  'GA',
  'GW',
  'FA',
  'FW',
  'WD',
  'WO',
  'SD',
  'DC',
  'LC',
])('the right %s changes something', (right) =>
  expect(judged(`O:SYG:SYD:P(A;;${right};;;BU)`)).toBe('S-1-5-32-545 may write there'),
);

test('the path is not part of the command, and the program comes from the system folder', () => {
  const { command, args, env } = rightsCall([String.raw`C:\ProgramData\'; rm x`, 'b'], {
    SystemRoot: String.raw`D:\Windows`,
  });
  expect(command).toBe(String.raw`D:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`);
  expect(args.join(' ')).not.toContain('ProgramData');
  expect(env['CAUSEWAY_CHECKED']).toBe(String.raw`C:\ProgramData\'; rm x|b`);
  expect(Object.keys(env)).toEqual(['SystemRoot', 'CAUSEWAY_CHECKED']);
});
