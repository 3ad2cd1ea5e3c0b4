import { describe, expect, test } from 'vitest';
import { isTyping, shortcutOf, type Focused, type KeyPress, type Shortcut } from './shortcuts.ts';

const SHORTCUTS: readonly Shortcut<'next' | 'approve' | 'help' | 'down'>[] = [
  { action: 'next', codes: ['KeyJ', 'ArrowDown'], repeats: true },
  { action: 'approve', codes: ['KeyA'] },
  { action: 'help', codes: ['Slash'], shift: true },
  { action: 'down', codes: ['Space'] },
];

function press(code: string, more: Partial<KeyPress> = {}): KeyPress {
  return {
    code,
    shiftKey: false,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    repeat: false,
    isComposing: false,
    defaultPrevented: false,
    ...more,
  };
}

function element(tagName: string, more: { type?: string; role?: string; isContentEditable?: boolean } = {}): Focused {
  const { role, ...rest } = more;
  return { tagName, ...rest, getAttribute: (name) => (name === 'role' ? (role ?? null) : null) };
}

function actionOf(pressed: KeyPress, focused: Focused | null, shortcuts: typeof SHORTCUTS): string | null {
  return shortcutOf(pressed, focused, shortcuts)?.action ?? null;
}

describe('shortcuts', () => {
  test('go by the physical key, with any character that an input method makes of it', () => {
    // Under a Hangul input method the browser reports key ㅁ, or Process, with the same code.
    const underHangul: KeyPress & { key: string } = { ...press('KeyA'), key: 'ㅁ' };
    expect(actionOf(underHangul, null, SHORTCUTS)).toBe('approve');
    expect(actionOf(press('KeyJ'), element('BODY'), SHORTCUTS)).toBe('next');
    expect(actionOf(press('ArrowDown'), element('A'), SHORTCUTS)).toBe('next');
    expect(actionOf(press('KeyQ'), null, SHORTCUTS)).toBeNull();
  });

  test('Shift must be held for shortcuts with Shift, and for no others', () => {
    expect(actionOf(press('Slash', { shiftKey: true }), null, SHORTCUTS)).toBe('help');
    expect(actionOf(press('Slash'), null, SHORTCUTS)).toBeNull();
    expect(actionOf(press('KeyA', { shiftKey: true }), null, SHORTCUTS)).toBeNull();
  });

  test.each(['ctrlKey', 'altKey', 'metaKey', 'isComposing', 'defaultPrevented'] as const)(
    '%s leaves the key to others',
    (what) => {
      expect(actionOf(press('KeyA', { [what]: true }), null, SHORTCUTS)).toBeNull();
    },
  );

  test('a held key walks on, and never decides twice', () => {
    expect(actionOf(press('KeyJ', { repeat: true }), null, SHORTCUTS)).toBe('next');
    expect(actionOf(press('KeyA', { repeat: true }), null, SHORTCUTS)).toBeNull();
  });

  test.each([
    element('TEXTAREA'),
    element('SELECT'),
    element('INPUT', { type: 'search' }),
    element('INPUT', { type: 'date' }),
    element('INPUT'),
    element('DIV', { isContentEditable: true }),
    element('DIV', { role: 'textbox' }),
    element('DIV', { role: 'combobox' }),
  ])('are off while somebody types (%#)', (focused) => {
    expect(isTyping(focused)).toBe(true);
    expect(actionOf(press('KeyA'), focused, SHORTCUTS)).toBeNull();
  });

  test.each([element('BUTTON'), element('INPUT', { type: 'checkbox' }), element('A'), element('BODY')])(
    'work on what takes no text (%#)',
    (focused) => {
      expect(isTyping(focused)).toBe(false);
      expect(actionOf(press('KeyA'), focused, SHORTCUTS)).toBe('approve');
    },
  );

  test('leave menus, radio buttons and scrolling regions their own keys', () => {
    expect(actionOf(press('ArrowDown'), element('INPUT', { type: 'radio' }), SHORTCUTS)).toBeNull();
    expect(actionOf(press('KeyA'), element('BUTTON', { role: 'menuitemradio' }), SHORTCUTS)).toBeNull();
    expect(actionOf(press('ArrowDown'), element('DIV', { role: 'region' }), SHORTCUTS)).toBeNull();
    expect(actionOf(press('KeyJ'), element('DIV', { role: 'region' }), SHORTCUTS)).toBe('next');
    expect(actionOf(press('Space'), element('BUTTON'), SHORTCUTS)).toBeNull();
    expect(actionOf(press('Space'), element('BODY'), SHORTCUTS)).toBe('down');
  });
});
