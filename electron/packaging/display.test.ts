import { expect, test } from 'vitest';
import { displayHindrance, sandboxArguments } from './display.ts';

test('Linux needs a display; other systems always have one', () => {
  expect(displayHindrance({}, 'linux')).toContain('no display');
  expect(displayHindrance({ DISPLAY: '' }, 'linux')).toContain('no display');
  expect(displayHindrance({ DISPLAY: ':0' }, 'linux')).toBeNull();
  expect(displayHindrance({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBeNull();
  expect(displayHindrance({}, 'win32')).toBeNull();
});

test('only root runs without the sandbox, and is warned', () => {
  expect(sandboxArguments(false)).toEqual({ args: [], notice: null });
  const root = sandboxArguments(true);
  expect(root.args).toEqual(['--no-sandbox']);
  expect(root.notice).toContain('--no-sandbox');
});
