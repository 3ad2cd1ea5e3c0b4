import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';
import { useSharedText } from '../../../shared/ui/i18n/use-text.ts';
import { capOf } from '../../../shared/ui/keys/chosen-keys.ts';
import { useKeyRest } from '../../../shared/ui/keys/takes-keys.tsx';
import type { MenuAct } from '../../../shared/wire/console/program.ts';
import { useMay } from '../../api/session-context.ts';
import type { Screen } from './screens.ts';
import { useText } from '../../i18n/use-text.ts';
import { useKeys } from '../../screens/review/item/use-keys.ts';

const WALK = ['next', 'previous', 'tick', 'later', 'hand-over'] as const;
const DECIDE = ['approve', 'approve-edited', 'reject', 'block', 'opinion', 'undo'] as const;
/** Signs of keys that no user chooses. */
const SIGNS = { search: '/', fold: '[', help: '?' } as const;
type KeyAct = (typeof WALK)[number] | (typeof DECIDE)[number] | keyof typeof SIGNS;

const GO = 'go:';
const LOG_OUT = 'log-out';

interface ProgramMenuProps {
  screens: readonly Pick<Screen, 'href' | 'label' | 'code'>[];
  onLogOut: () => void;
}

/**
 * Offers the acts of this page for the program's menus, with their keys (D234), and runs the one that a menu calls. An act
 * does what its key does, and rests where the key rests. A case runs them, and the program shows the main window's.
 */
export function ProgramMenu({ screens, onLogOut }: ProgramMenuProps): null {
  const text = useText();
  const shared = useSharedText();
  const may = useMay();
  const rest = useKeyRest();
  const { isOn, shownCapOf } = useKeys();
  const [location, navigate] = useLocation();
  const isReview = /^\/review(?:\/|$)/.test(location);

  function keyAct(place: MenuAct['place'], id: KeyAct, isEnabled: boolean): MenuAct {
    const sign = id in SIGNS ? SIGNS[id as keyof typeof SIGNS] : shownCapOf(id as Exclude<KeyAct, keyof typeof SIGNS>);
    return { id, place, label: text(`keys.${id}`), keys: (isOn ? sign : undefined) ?? null, isEnabled };
  }

  function acts(): MenuAct[] {
    const review = [...(may('review.view') ? WALK : []), ...(may('review.decide') ? DECIDE : [])];
    const go = shownCapOf('go');
    return [
      ...review.map((id) => keyAct('review', id, isReview)),
      ...screens.map(({ href, label, code }) => ({
        ...{ id: `${GO}${href}`, place: 'go' as const, label: text(label), isEnabled: true },
        keys: go === undefined ? null : `${go} ${capOf(code) ?? ''}`,
      })),
      keyAct('view', 'search', true),
      keyAct('view', 'fold', true),
      keyAct('help', 'help', isReview),
      { id: LOG_OUT, place: 'file', label: shared('login.logout'), keys: null, isEnabled: true },
    ];
  }

  const run = useEffectEvent((id: string) => {
    if (id === LOG_OUT) return onLogOut();
    const screen = screens.find(({ href }) => id === `${GO}${href}`);
    if (screen !== undefined) return navigate(screen.href);
    rest
      .acts()
      .find(({ action }) => action === id)
      ?.run();
  });
  // A text, so that equal acts are offered once.
  const offered = JSON.stringify(acts());
  useEffect(() => {
    offer(JSON.parse(offered) as MenuAct[]);
  }, [offered]);
  useEffect(() => {
    window.causewayProgram?.onAct?.((id) => run(id));
    return () => offer([]);
  }, []);
  return null;
}

function offer(acts: readonly MenuAct[]): void {
  // An older program has no menus for them.
  window.causewayProgram?.offerMenu?.(acts).catch(() => undefined);
}
