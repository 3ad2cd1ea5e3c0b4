import type { ReactNode } from 'react';
import { SIGN_IN_REFUSALS } from '../../wire/sign-in.ts';
import { ApiProblem, messagesAbout } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useErrorText } from '../parts/data-state.tsx';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './login-screen.module.css';
import type { SessionEnd } from './session-queries.ts';
import { SignInStoppedError } from './sign-in-stopped.ts';

/** Why the person is here: the end of a session, a refused login, a sign-in that goes on at the provider. */
export function LoginNotes(props: {
  farewell: SessionEnd | null;
  failure: unknown;
  isSettingUp: boolean;
  isAway: boolean;
}): ReactNode {
  const { farewell, failure, isSettingUp, isAway } = props;
  const text = useSharedText();
  const failureText = useFailureText(isSettingUp);
  return (
    <>
      {farewell !== null && failure === null && (
        <p className={classes['note']} data-tone="info" role="status">
          {text(`login.${farewell}`)}
        </p>
      )}
      {failure !== null && (
        <p className={classes['note']} data-tone="bad" role="alert">
          <Glyph name="warning" size={14} />
          {failureText(failure)}
        </p>
      )}
      {isAway && (
        <p className={classes['note']} data-tone="info" role="status">
          {text('login.sso.away')}
        </p>
      )}
    </>
  );
}

function useFailureText(isSettingUp: boolean): (failure: unknown) => string {
  const text = useSharedText();
  const describe = useErrorText();
  return (failure) => {
    if (failure instanceof SignInStoppedError) return text(`login.sso.${failure.kind}`);
    const refusal = SIGN_IN_REFUSALS.find((one) => messagesAbout(failure, 'reason').includes(one));
    if (refusal !== undefined) return text(`login.sso.${refusal}`);
    const problem = failure instanceof ApiProblem ? failure : null;
    if (problem?.code === 'AUTH4013') return text('rule.SECOND_FACTOR_WRONG');
    if (problem?.code === 'AUTH4011') return text(isSettingUp ? 'login.setUp.wrong' : 'login.wrong');
    // A person with the setup code sees which rules the name or password breaks.
    const paths = isSettingUp ? (problem?.fieldErrors ?? []).map(({ path }) => path) : [];
    const isUnfit = paths.includes('body.username') || paths.includes('body.password');
    return isUnfit ? text('login.setUp.unfit') : describe(failure);
  };
}
