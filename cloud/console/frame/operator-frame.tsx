import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { DisplayMenu } from '../../../shared/ui/frame/display-menu.tsx';
import { Frame } from '../../../shared/ui/frame/frame.tsx';
import { Palette } from '../../../shared/ui/palette/palette.tsx';
import { Screens } from '../../../shared/ui/frame/screens.tsx';
import { UserMenu } from '../../../shared/ui/frame/user-menu.tsx';
import { useLogOut } from '../../../shared/ui/session/use-log-out.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { useLeftViews } from '../navigation/use-left-views.ts';
import { useProfile } from '../session/profile.ts';
import classes from './operator-frame.module.css';
import { PROFILE_SCREEN, SCREENS } from './screens.ts';
import { FoundTenantsAndAnalyses } from './found-tenants-and-analyses.tsx';

const ADDRESSED = [...SCREENS, PROFILE_SCREEN];

/** Navigation, head, and the screen that the address names. */
export function OperatorFrame(): ReactNode {
  const text = useText();
  const profile = useProfile();
  const { api } = useOperator();
  const logOut = useLogOut(api.logout, () => sessionStorage.clear());
  const [location, navigate] = useLocation();
  const here = ADDRESSED.find(({ href }) => location === href || location.startsWith(`${href}/`));
  const title = [...(here === undefined ? [] : [text(here.label)]), text('product.name'), text('operator.name')];
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
      status={<span className={classes['console']}>{text('operator.name')}</span>}
      menus={
        <>
          <Palette
            title={text('palette.title')}
            placeholder={text('palette.placeholder')}
            screens={items}
            Found={FoundTenantsAndAnalyses}
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
