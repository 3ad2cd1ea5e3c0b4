import { expect, test } from 'vitest';
import { loadedFiles, programData, windowsFolder } from './windows-folder.ts';

test('is where the loader of this process lies', () => {
  const loaded = [String.raw`D:\Apps\node.exe`, String.raw`E:\WINNT\SYSTEM32\ntdll.dll`, String.raw`C:\x\kernel32.dll`];
  expect(windowsFolder(loaded)).toBe(String.raw`E:\WINNT`);
  expect(programData(windowsFolder(loaded))).toBe(String.raw`E:\ProgramData`);
  expect(programData(windowsFolder([String.raw`C:\Users\a\ntdll.dll`]))).toBe(String.raw`C:\ProgramData`);
});

test('the files of this process have full paths', () => {
  expect(loadedFiles().length).toBeGreaterThan(0);
  expect(loadedFiles().some((file) => /[\\/]/.test(file))).toBe(true);
});
