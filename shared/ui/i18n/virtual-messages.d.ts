declare module 'virtual:messages/*' {
  import type { Messages } from '@lingui/core';

  /** The compiled messages of one language: those of both consoles and those of the one that is built. */
  export const messages: Messages;
}
