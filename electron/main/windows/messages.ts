/**
 * The only entry for messages from a page: each is accepted from the main frame of its one page, and only with
 * arguments that match the channel's schema.
 */
import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import * as z from 'zod/mini';
import type { PushChannel, Pushes, RequestChannel, Requests } from '../ipc/channels.ts';
import type { Log } from '../diagnostics/log.ts';
import { SYNC_STATES } from '../../../shared/wire/console/console.ts';
import { COLOUR_SCHEMES, MENU_PLACES } from '../../../shared/wire/console/program.ts';
import { mayNavigate, shellPageOf, type ShellPage } from '../security/origins.ts';
import { SETTINGS_SCHEMA } from '../settings/settings.ts';

const COUNT = z.int().check(z.gte(0));
const NEWEST = z.nullable(
  z.strictObject({ id: z.string().check(z.maxLength(128)), name: z.string().check(z.maxLength(200)) }),
);
const DURATION = z.number().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));
const REPORT = z.strictObject({
  language: z.enum(['ko', 'en']),
  sync: z.nullable(z.enum(SYNC_STATES)),
  waiting: z.nullable(COUNT),
  newest: NEWEST,
  // Absent in reports of an older console.
  queue: z.exactOptional(z.nullable(z.strictObject({ answeredMs: DURATION, oldestMs: z.nullable(DURATION) }))),
  asked: z.exactOptional(z.nullable(z.strictObject({ count: COUNT, newest: NEWEST }))),
});

/** Far more than a page offers. */
const MOST_ACTS = 60;
const MENU = z
  .array(
    z.strictObject({
      id: z.string().check(z.minLength(1), z.maxLength(60)),
      place: z.enum(MENU_PLACES),
      label: z.string().check(z.minLength(1), z.maxLength(80)),
      // One sign or two: no other text is an accelerator.
      keys: z.nullable(z.string().check(z.regex(/^[!-*,-~](?: [!-~])?$/))),
      isEnabled: z.boolean(),
    }),
  )
  .check(z.maxLength(MOST_ACTS));

const SCHEMAS = {
  'shell:state': z.tuple([]),
  'shell:seen': z.tuple([]),
  'shell:retry': z.tuple([]),
  'setup:read': z.tuple([]),
  'setup:save': z.tuple([SETTINGS_SCHEMA]),
  'console:report': z.tuple([REPORT]),
  'console:appear': z.tuple([z.enum(COLOUR_SCHEMES)]),
  'console:speak': z.tuple([z.enum(['ko', 'en'])]),
  'console:menu': z.tuple([MENU]),
  'console:print': z.tuple([]),
  'sign-in:listen': z.tuple([z.int().check(z.gte(0), z.lte(65_535))]),
  'sign-in:open': z.tuple([z.string().check(z.maxLength(4_000))]),
} satisfies { [C in RequestChannel]: z.ZodMiniType<Requests[C]['args']> };

type Sender = ShellPage | 'console';

/** Which pages may send on a channel. */
const SENDERS: Record<RequestChannel, readonly Sender[]> = {
  'shell:state': ['status'],
  'shell:seen': ['status'],
  'shell:retry': ['status'],
  'setup:read': ['setup'],
  'setup:save': ['setup'],
  'console:report': ['console'],
  'console:appear': ['console'],
  'console:speak': ['console'],
  'console:menu': ['console'],
  'console:print': ['console'],
  'sign-in:listen': ['console'],
  'sign-in:open': ['console'],
};

/** A message came from a page that may not send it. */
export class UntrustedSenderError extends Error {
  constructor(channel: string) {
    super(`${channel} is not answered here`);
    this.name = 'UntrustedSenderError';
  }
}

/** A message's arguments do not match its channel's schema. */
export class MessageShapeError extends Error {
  constructor(channel: string) {
    super(`${channel} was called with wrong arguments`);
    this.name = 'MessageShapeError';
  }
}

export type Answers = {
  [C in RequestChannel]: (
    ...args: [...Requests[C]['args'], sender: WebContents]
  ) => Requests[C]['answer'] | Promise<Requests[C]['answer']>;
};

/** Registers an answer for every channel. `console` gives the console's present address. */
export function answerMessages(answers: Answers, console: () => URL | null, log: Log): void {
  function answer<C extends RequestChannel>(channel: C): void {
    ipcMain.handle(channel, (event, ...args: unknown[]) => {
      if (!SENDERS[channel].some((page) => isFrom(page, event, console()))) {
        log.warn('message from an untrusted page refused', { channel, url: event.senderFrame?.url ?? null });
        throw new UntrustedSenderError(channel);
      }
      const read = z.safeParse<z.ZodMiniType<Requests[C]['args']>>(SCHEMAS[channel], args);
      if (!read.success) {
        log.warn('message with wrong arguments refused', { channel });
        throw new MessageShapeError(channel);
      }
      return answers[channel](...read.data, event.sender);
    });
  }
  for (const channel of Object.keys(SCHEMAS) as RequestChannel[]) answer(channel);
}

/** Sends a message to a page. */
export function push<C extends PushChannel>(contents: WebContents, channel: C, value: Pushes[C]): void {
  contents.send(channel, value);
}

function isFrom(page: Sender, event: IpcMainInvokeEvent, console: URL | null): boolean {
  const frame = event.senderFrame;
  if (frame === null || frame !== event.sender.mainFrame) return false;
  return page === 'console' ? mayNavigate(frame.url, console) : shellPageOf(frame.url) === page;
}
