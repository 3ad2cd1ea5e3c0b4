/**
 * One event stream for all windows of a browser. A browser opens six connections to a server over HTTP/1.1, for all
 * windows together: with a stream in each of them, the seventh window and every reload would wait for ever.
 *
 * The window that holds the lock opens the stream and forwards its messages to the others; when it closes, the next one
 * gets the lock.
 */
import type { StreamListener } from './live.ts';

const NAME = 'causeway.events';

type Sign = keyof StreamListener;

/** `asks`: a new window asks whether the stream is open; the answer is for that window only. */
type Message = { sign: Sign; to?: string } | { asks: string };

/** @param openOwn opens a stream of this window; returns the function that closes it */
export function shareStream(
  openOwn: (listener: StreamListener, since: string | null) => () => void,
): (listener: StreamListener, since: string | null) => () => void {
  return (listener, since) => {
    const own = crypto.randomUUID();
    const channel = new BroadcastChannel(NAME);
    const tell: (message: Message) => void = channel.postMessage.bind(channel);
    const over = new AbortController();
    let isOpen = false;

    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if ('asks' in data) {
        if (isOpen) tell({ sign: 'opened', to: data.asks });
      } else if (data.to === undefined || data.to === own) listener[data.sign]();
    });
    tell({ asks: own });

    const hear = (sign: Sign) => (): void => {
      if (over.signal.aborted) return;
      isOpen = sign !== 'failed';
      tell({ sign });
      // The mark is this window's: the others have loaded at another moment.
      if (sign === 'opened') listener.opened(since !== null);
      else listener[sign]();
    };
    const hold = (): Promise<void> =>
      new Promise((release) => {
        const close = openOwn(
          {
            opened: hear('opened'),
            failed: hear('failed'),
            changed: hear('changed'),
            claimed: hear('claimed'),
            alive: hear('alive'),
          },
          since,
        );
        over.signal.addEventListener('abort', () => {
          close();
          release();
        });
      });
    // Aborted while it waits, the lock request is rejected, which needs no handling.
    navigator.locks.request(NAME, { signal: over.signal }, hold).catch(() => undefined);

    return () => {
      over.abort();
      channel.close();
    };
  };
}
