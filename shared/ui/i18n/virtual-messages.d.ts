declare module 'virtual:messages/*' {
  import type { Messages } from '@lingui/core';

  /** The compiled messages of one language: the shared ones and those of the console being built. */
  export const messages: Messages;
}
