import { useEffect, type ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { DisplayMenu } from '../../../shared/ui/frame/display-menu.tsx';
import { Frame } from '../../../shared/ui/frame/frame.tsx';
import { Palette } from '../../../shared/ui/palette/palette.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Screens } from '../../../shared/ui/frame/screens.tsx';
import { UserMenu } from '../../../shared/ui/frame/user-menu.tsx';
import { useLogOut } from '../../../shared/ui/session/use-log-out.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { unreadableDay } from '../navigation/address.ts';
import { useLeftViews } from '../navigation/use-left-views.ts';
import { useProfile } from '../session/profile.ts';
import classes from './operator-frame.module.css';
import { PROFILE_SCREEN, SCREENS, type Screen } from './screens.ts';
import { Found } from './found.tsx';

const ADDRESSED: readonly Screen[] = [...SCREENS, PROFILE_SCREEN];

/** A link with a day that is none leads to another view than its sender saw. */
function UnreadableDay({ day }: { day: string }): ReactNode {
  const text = useText();
  return (
    <p className={classes['unreadable']} data-tone="wait" role="alert">
      <Glyph name="warning" /> {text('address.unreadable', { text: day.slice(0, 40) })}
    </p>
  );
}

/** Navigation, head, and the screen that the address names. */
export function OperatorFrame(): ReactNode {
  const text = useText();
  const profile = useProfile();
  const { api } = useOperator();
  const logOut = useLogOut(api.logout, () => sessionStorage.clear());
  const [location, navigate] = useLocation();
  const here = ADDRESSED.find(({ href }) => location === href || location.startsWith(`${href}/`));
  const title = [...(here === undefined ? [] : [text(here.label)]), text('product.name'), text('operator.name')];
  const query = useSearch();
  const unreadable = here?.saysWrongDay === true ? null : unreadableDay(new URLSearchParams(query));
  const queryOf = useLeftViews(SCREENS);
  const windowTitle = title.join(' · ');
  useEffect(() => {
    document.title = windowTitle;
  }, [windowTitle]);

  const items = SCREENS.map((screen) => ({
    href: screen.href,
    query: queryOf(screen),
    label: text(screen.label),
    ...(screen.group === undefined ? {} : { group: text(screen.group) }),
  }));
  return (
    <Frame
      navigation={items}
      navigationLabel={text('nav.label')}
      notice={unreadable !== null && <UnreadableDay day={unreadable} />}
      status={<span className={classes['console']}>{text('operator.name')}</span>}
      menus={
        <>
          <Palette
            title={text('palette.title')}
            placeholder={text('palette.placeholder')}
            screens={items}
            Found={Found}
            onLogOut={() => void logOut()}
          />
          <DisplayMenu withShortcuts={false} />
          <UserMenu
            name={profile.displayName}
            username={profile.username}
            actions={[{ label: text(PROFILE_SCREEN.label), onClick: () => navigate(PROFILE_SCREEN.href) }]}
            onLogout={() => void logOut()}
          />
        </>
      }
    >
      <Screens screens={ADDRESSED} start={SCREENS[0].href} />
    </Frame>
  );
}
