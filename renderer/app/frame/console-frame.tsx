import { useQuery } from '@tanstack/react-query';
import { lazy, memo, Suspense, useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { DisplayMenu } from '../../../shared/ui/frame/display-menu.tsx';
import { BareFrame, Frame, type NavigationItem } from '../../../shared/ui/frame/frame.tsx';
import { commandEntry } from '../../../shared/ui/palette/entries.ts';
import { Palette } from '../../../shared/ui/palette/palette.tsx';
import { Screens } from '../../../shared/ui/frame/screens.tsx';
import { UserMenu } from '../../../shared/ui/frame/user-menu.tsx';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';
import { useLogOut } from '../../../shared/ui/session/use-log-out.ts';
import { clearDrafts } from '../../components/actions/drafts.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ExclusionNotice } from './exclusion-notice.tsx';
import { FoundEntries } from './found-entries.tsx';
import { ProgramMenu } from './program-menu.ts';
import { useProgramReport } from '../../desktop/use-program-report.ts';
import { useMay, useProfile } from '../../api/session-context.ts';
import { useLiveState } from '../../api/live-provider.tsx';
import { GoTo } from './go-to.tsx';
import { OutageNotice } from './outage-notice.tsx';
import { PolicyNotice } from './policy-notice.tsx';
import { showTour } from '../../tour/steps.ts';
import { CASE, SCREENS, startOf, type Screen } from './screens.ts';
import { linkedTabs } from '../../components/parts/tabs.ts';
import { SyncState } from '../../components/sync-state/sync-state.tsx';

/** What the palette offers of what the screen's keys do: not what scrolls, and not what leads to other keys. */
const OFFERED = [
  'approve',
  'approve-edited',
  'reject',
  'block',
  'opinion',
  'undo',
  'later',
  'hand-over',
  'tick',
  'next',
  'previous',
  'fold',
  'help',
] as const;

const TryThis = lazy(async () => ({ default: (await import('../../tour/try-this.tsx')).TryThis }));
const AccountDialog = lazy(async () => ({
  default: (await import('../session/account-dialog.tsx')).AccountDialog,
}));

/** Navigation, head, and the screen that the address names. */
export function ConsoleFrame(): ReactNode {
  const text = useText();
  const screens = useScreens();
  useProgramReport(useLiveState());
  const [location] = useLocation();
  const here = screens.find((screen) => location === screen.href || location.startsWith(`${screen.href}/`));
  const title = `${here === undefined ? '' : `${text(here.label)} · `}${text('product.name')}`;
  const isCase = location.startsWith(`${CASE.href}/`);
  useEffect(() => {
    if (!isCase) document.title = title;
  }, [isCase, title]);
  return isCase ? <CaseFrame /> : <WholeFrame />;
}

function useScreens(): Screen[] {
  const may = useMay();
  return SCREENS.filter((screen) => may(screen.functionId));
}

const NOTICE = (
  <>
    <OutageNotice />
    <PolicyNotice />
    <ExclusionNotice />
  </>
);

/** Logs out as a person asks for it: unsent text goes too. */
function useLeave(): () => void {
  const { signIn } = useConsole();
  const logOut = useLogOut(signIn.signOut, () => clearDrafts(sessionStorage));
  return () => void logOut();
}

const NO_SCREENS: readonly Screen[] = [];

/** A case window shows one case only, with a title of its own. */
function CaseFrame(): ReactNode {
  const { permissions } = useProfile();
  const logOut = useLeave();
  return (
    <BareFrame notice={NOTICE}>
      <ProgramMenu screens={NO_SCREENS} onLogOut={logOut} />
      <Screens screens={[CASE]} start={startOf(permissions)} />
    </BareFrame>
  );
}

/** Does not depend on the address, so that head and menus do not render again with every item of a walk. */
const WholeFrame = memo(function WholeFrame(): ReactNode {
  const text = useText();
  const profile = useProfile();
  const { queries, demo } = useConsole();
  const tour = demo?.tour;
  const may = useMay();
  const [hasShortcuts, setHasShortcuts] = useSwitch('shortcuts');
  const [goesToNext, setGoesToNext] = useSwitch('go-to-next');
  const [isAccountOpen, setIsAccountOpen] = useState(false);
  const logOut = useLeave();
  const waiting = useQuery(queries.statusCounts).data?.PENDING_REVIEW;
  const screens = useScreens();

  function navigationItem(screen: Screen): NavigationItem {
    const item = { href: screen.href, glyph: screen.glyph, label: text(screen.label) };
    if (screen.href !== '/review' || waiting === undefined || waiting === 0) return item;
    return { ...item, count: { value: waiting, label: text('review.count', { count: waiting }) } };
  }

  const items = screens.map(navigationItem);
  const tabs = screens.flatMap((screen) =>
    linkedTabs(screen.href, may).map(({ href, label }) => ({ href, label: `${text(screen.label)}: ${text(label)}` })),
  );
  const commands = [
    commandEntry('account', text('account.title'), '', () => setIsAccountOpen(true)),
    commandEntry('shortcuts', text(hasShortcuts ? 'palette.shortcuts.off' : 'palette.shortcuts.on'), '', () =>
      setHasShortcuts(!hasShortcuts),
    ),
    commandEntry('go-to-next', text(goesToNext ? 'palette.goToNext.off' : 'palette.goToNext.on'), '', () =>
      setGoesToNext(!goesToNext),
    ),
  ];
  const acts = Object.fromEntries(OFFERED.map((action) => [action, text(`keys.${action}`)]));
  return (
    <Frame
      navigation={items}
      navigationLabel={text('nav.label')}
      status={<SyncState />}
      notice={
        <>
          {NOTICE}
          {tour !== undefined && (
            <Suspense>
              <TryThis demo={tour} />
            </Suspense>
          )}
        </>
      }
      menus={
        <>
          <Palette
            title={text('palette.title')}
            placeholder={text('palette.placeholder')}
            screens={[...items, ...tabs]}
            Found={FoundEntries}
            commands={commands}
            acts={acts}
            onLogOut={logOut}
          />
          <DisplayMenu withShortcuts />
          <UserMenu
            name={profile.displayName}
            username={profile.username}
            role={text(`role.${profile.role}`)}
            actions={[
              { label: text('account.title'), onClick: () => setIsAccountOpen(true) },
              ...(tour === undefined ? [] : [{ label: text('tour.title'), onClick: () => showTour(tour) }]),
            ]}
            onLogout={logOut}
          />
          {isAccountOpen && (
            <Suspense>
              <AccountDialog onClose={() => setIsAccountOpen(false)} />
            </Suspense>
          )}
        </>
      }
    >
      <Screens screens={screens} start={startOf(profile.permissions)} />
      <GoTo screens={screens} />
      <ProgramMenu screens={screens} onLogOut={logOut} />
    </Frame>
  );
});
