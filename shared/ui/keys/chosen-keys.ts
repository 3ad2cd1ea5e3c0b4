/** The keys that a user has chosen for the actions of a screen, one each. */

/** `KeyboardEvent.code` by action. */
export type Codes<Action extends string> = Readonly<Record<Action, string>>;

/** Keys with a sign of their own; keys that move, scroll, send or close cannot be reassigned. */
const SIGNS: Readonly<Record<string, string>> = {
  Backquote: '`',
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Comma: ',',
  Period: '.',
};

/** The sign on a key; null for a key that cannot be chosen. */
export function capOf(code: string): string | null {
  return /^Key[A-Z]$/.test(code) ? code.slice(3) : (SIGNS[code] ?? null);
}

/** The other action that has the key; null for a free key. */
export function takenBy<Action extends string>(codes: Codes<Action>, action: Action, code: string): Action | null {
  return actionsOf(codes).find((other) => other !== action && codes[other] === code) ?? null;
}

/** Reads the stored codes; returns the standard ones if they cannot be read or give one key twice. */
export function readCodes<Action extends string>(kept: string | null, standard: Codes<Action>): Codes<Action> {
  const codes: Record<Action, string> = { ...standard };
  for (const [action, code] of Object.entries(parsed(kept)))
    if (isActionOf(standard, action) && typeof code === 'string' && capOf(code) !== null) codes[action] = code;
  return new Set(Object.values(codes)).size === Object.keys(codes).length ? codes : standard;
}

export function writeCodes<Action extends string>(codes: Codes<Action>): string {
  return JSON.stringify(codes);
}

function parsed(kept: string | null): object {
  try {
    const value: unknown = JSON.parse(kept ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isActionOf<Action extends string>(codes: Codes<Action>, name: string): name is Action {
  return Object.hasOwn(codes, name);
}

function actionsOf<Action extends string>(codes: Codes<Action>): Action[] {
  return Object.keys(codes).filter((name) => isActionOf(codes, name));
}
