/**
 * The only way in for messages from a page: each is taken from the main frame of the program's own
 * status page alone, and only with arguments that fit the channel's schema.
 */
import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import * as z from 'zod/mini';
import type { PushChannel, Pushes, RequestChannel, Requests } from './channels.ts';
import type { Log } from './log.ts';
import { isShellPage } from './origins.ts';

const SCHEMAS = {
  'shell:state': z.tuple([]),
  'shell:retry': z.tuple([]),
} satisfies { [C in RequestChannel]: z.ZodMiniType<Requests[C]['args']> };

/** A message came from a page that has nothing to say to the program. */
export class UntrustedSenderError extends Error {
  constructor(channel: string) {
    super(`${channel} is not answered here`);
    this.name = 'UntrustedSenderError';
  }
}

/** A message's arguments do not fit its channel. */
export class MessageShapeError extends Error {
  constructor(channel: string) {
    super(`${channel} was called with wrong arguments`);
    this.name = 'MessageShapeError';
  }
}

export type Answers = { [C in RequestChannel]: (...args: Requests[C]['args']) => Requests[C]['answer'] };

/** Registers an answer for every channel. */
export function answerMessages(answers: Answers, log: Log): void {
  for (const channel of Object.keys(SCHEMAS) as RequestChannel[]) {
    ipcMain.handle(channel, (event, ...args: unknown[]) => {
      if (!isFromStatusPage(event)) {
        log.warn('message from an untrusted page refused', { channel, url: event.senderFrame?.url ?? null });
        throw new UntrustedSenderError(channel);
      }
      const read = z.safeParse(SCHEMAS[channel], args);
      if (!read.success) {
        log.warn('message with wrong arguments refused', { channel });
        throw new MessageShapeError(channel);
      }
      return answers[channel](...read.data);
    });
  }
}

/** Tells the status page something. */
export function push<C extends PushChannel>(contents: WebContents, channel: C, value: Pushes[C]): void {
  contents.send(channel, value);
}

function isFromStatusPage(event: IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame === event.sender.mainFrame && isShellPage(frame.url);
}
