import type { ReactNode } from 'react';
import { DisplayMenu } from '../frame/display-menu.tsx';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './login-screen.module.css';

/** A page before the console: one centred form. */
export function LoginPage({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className={classes['page']}>
      <header className={classes['head']}>
        <DisplayMenu withShortcuts={false} />
      </header>
      <main className={classes['main']}>{children}</main>
    </div>
  );
}

/** The product's and the console's name. */
export function LoginHead({ subtitle }: { subtitle: string }): ReactNode {
  const text = useSharedText();
  return (
    <div>
      <p className={classes['product']}>{text('product.name')}</p>
      <p className={classes['subtitle']}>{subtitle}</p>
    </div>
  );
}
