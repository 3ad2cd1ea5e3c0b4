import { expect, test } from 'vitest';
import { commandName } from './command-actor.ts';

test.each([
  [{}, 'command (causeway)'],
  [{ SUDO_USER: 'kim' }, 'command (causeway, sudo kim)'],
  [{ SUDO_USER: 'causeway' }, 'command (causeway)'],
  [{ SUDO_USER: '' }, 'command (causeway)'],
  [{ SUDO_USER: 'kim), approved by (lee' }, 'command (causeway)'],
])('%o', (env, name) => expect(commandName(env, 'causeway')).toBe(name));
