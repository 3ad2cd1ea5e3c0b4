import { useMemo } from 'react';
import { capOf, readCodes, takenBy, writeCodes } from '../../../../shared/ui/keys/chosen-keys.ts';
import { useStored, useSwitch } from '../../../../shared/ui/theme/preferences.ts';
import { useProfile } from '../../../api/session-context.ts';
import { shortcutsWith, STANDARD_KEYS, type ChosenKey, type ReviewShortcuts } from './shortcuts.ts';

/** Why a key was refused: it cannot be chosen, or another action has it. */
export type KeyRefusal = { why: 'unfit' } | { why: 'taken'; cap: string; by: ChosenKey };

export interface Keys {
  /** Whether this user has shortcuts turned on. */
  isOn: boolean;
  shortcuts: ReviewShortcuts;
  /** The sign on an action's key, for display. */
  capOf: (action: ChosenKey) => string;
  /** As above, only while shortcuts are on. */
  shownCapOf: (action: ChosenKey) => string | undefined;
  choose: (action: ChosenKey, code: string) => KeyRefusal | null;
  isStandard: boolean;
  reset: () => void;
}

/** The keys of the logged-in user on this machine. */
export function useKeys(): Keys {
  const { id } = useProfile();
  const [isOn] = useSwitch('shortcuts');
  const [kept, keep] = useStored(`keys.${id}`);
  const codes = useMemo(() => readCodes(kept, STANDARD_KEYS), [kept]);
  const shortcuts = useMemo(() => shortcutsWith(codes), [codes]);
  const cap = (action: ChosenKey): string => capOf(codes[action]) ?? codes[action];
  return {
    isOn,
    shortcuts,
    capOf: cap,
    shownCapOf: (action) => (isOn ? cap(action) : undefined),
    choose: (action, code) => {
      const chosen = capOf(code);
      if (chosen === null) return { why: 'unfit' };
      const by = takenBy(codes, action, code);
      if (by !== null) return { why: 'taken', cap: chosen, by };
      keep(writeCodes({ ...codes, [action]: code }));
      return null;
    },
    isStandard: writeCodes(codes) === writeCodes(STANDARD_KEYS),
    reset: () => keep(writeCodes(STANDARD_KEYS)),
  };
}
