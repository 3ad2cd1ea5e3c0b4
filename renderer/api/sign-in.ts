/**
 * Single sign-on from the page (D21). In a browser the page itself goes to the provider and returns to `/sso/callback`;
 * in the desktop program the page stays, and the system's browser goes.
 */
import { readPageData, type PageDocument } from '../../shared/ui/session/page-data.ts';
import { SignInStoppedError } from '../../shared/ui/session/sign-in-stopped.ts';
import type { ConsoleProgram } from '../../shared/wire/console/program.ts';
import { OFFER_NAME, RETURN_PATH, SET_UP_NAME, type SignInOffer } from '../../shared/wire/sign-in.ts';
import type { ConsoleApi } from './client.ts';

/** The address of the page before it went to the provider. */
const FROM = 'causeway.sign-in.from';

/** The parts of a browser window that are used here. */
export interface SignInPage {
  location: Pick<Location, 'origin' | 'pathname' | 'search' | 'assign'>;
  history: Pick<History, 'replaceState'>;
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  document: PageDocument;
  open(url: string): unknown;
  causewayProgram?: Pick<ConsoleProgram, 'signIn'>;
}

export interface SignInService {
  /** Whether the login registers the first administrator, because no account exists. */
  readonly hasSetUp: boolean;
  /** A user has logged in, so an account exists. */
  closeSetUp(): void;
  /** The server's offer; null for none. */
  offer: SignInOffer | null;
  /** Why the sign-in that led back to this page failed; null otherwise. */
  readonly failure: unknown;
  /** Finishes a sign-in that led back to this page. Never rejects. */
  finishReturned(): Promise<void>;
  /** Settles when the user is logged in; in a browser the page leaves before. @throws ApiProblem, SignInStoppedError */
  signIn(offer: SignInOffer): Promise<void>;
  /** Logs out here, and at the provider if it ends sessions too. */
  signOut(): Promise<void>;
}

export function createSignIn(
  api: Pick<ConsoleApi, 'beginSignIn' | 'finishSignIn' | 'logout'>,
  page: SignInPage,
): SignInService {
  const { location, history, sessionStorage } = page;
  let hasSetUp = page.document.querySelector(`meta[name="${SET_UP_NAME}"]`) !== null;
  let failure: unknown = null;
  let finishing: Promise<void> | null = null;
  if (location.pathname === RETURN_PATH) {
    const returned = location.search.slice(1);
    const from = sessionStorage.getItem(FROM) ?? '/';
    sessionStorage.removeItem(FROM);
    // The code works once only, and must not stay in the address.
    history.replaceState(null, '', from.startsWith('/') && !from.startsWith('//') ? from : '/');
    finishing = api.finishSignIn(returned).then(
      () => undefined,
      (error: unknown) => {
        failure = error;
      },
    );
  }
  return {
    get hasSetUp() {
      return hasSetUp;
    },
    closeSetUp: () => {
      hasSetUp = false;
    },
    offer: readPageData<SignInOffer>(page.document, OFFER_NAME),
    get failure() {
      return failure;
    },
    finishReturned: async () => finishing ?? undefined,
    signIn: async ({ programPort }) => {
      failure = null;
      const { causewayProgram: program } = page;
      if (program === undefined) {
        sessionStorage.setItem(FROM, `${location.pathname}${location.search}`);
        location.assign(await api.beginSignIn(`${location.origin}${RETURN_PATH}`));
        return new Promise(() => undefined);
      }
      const redirectUri = await program.signIn.listen(programPort);
      if (redirectUri === null) throw new SignInStoppedError('not-opened');
      const answer = await program.signIn.open(await api.beginSignIn(redirectUri));
      if (answer.kind !== 'returned') throw new SignInStoppedError(answer.kind);
      await api.finishSignIn(answer.query);
      return undefined;
    },
    signOut: async () => {
      const { signOutUrl } = await api.logout();
      if (signOutUrl === null) return;
      if (page.causewayProgram === undefined) location.assign(signOutUrl);
      else page.open(signOutUrl);
    },
  };
}
