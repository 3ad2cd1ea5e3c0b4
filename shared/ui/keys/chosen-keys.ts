/** The keys that a person has chosen for the actions of a screen, one each. */

/** `KeyboardEvent.code` by action. */
export type Codes<Action extends string> = Readonly<Record<Action, string>>;

/** Keys that carry a sign of their own; what moves, scrolls, sends and closes keeps its keys. */
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

/** The sign on a key; null for one that cannot be chosen. */
export function capOf(code: string): string | null {
  return /^Key[A-Z]$/.test(code) ? code.slice(3) : (SIGNS[code] ?? null);
}

/** Which other action has the key already; null where it is free. */
export function takenBy<Action extends string>(codes: Codes<Action>, action: Action, code: string): Action | null {
  return actionsOf(codes).find((other) => other !== action && codes[other] === code) ?? null;
}

/** The codes as they are kept; the standard ones where what is kept cannot be read or gives one key twice. */
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
