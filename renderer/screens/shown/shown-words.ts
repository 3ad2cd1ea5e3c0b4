import { reasonInWords } from '../../../shared/wire/console/audit-words.ts';
import { kstText } from '../../../shared/ui/time/format.ts';
import { useLanguage } from '../../../shared/ui/i18n/use-text.ts';
import type { Showing, ShownCause, ShownSpan } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';

type Known = Exclude<Showing, { state: 'UNKNOWN' }>;

/** A text stood there, and it was exposed to at least one channel. */
export const wasExposed = (showing: Showing): boolean =>
  showing.state === 'GIVEN' && showing.channels.some(({ inside }) => inside);

/** States, reasons and causes in words. */
export function useShownWords() {
  const text = useText();
  const language = useLanguage();
  const timeOf = (instant: string): string => text('time.kst', { time: kstText(instant, 'second') ?? instant });
  const actorOf = (actor: string): string => (actor === 'SYSTEM' ? text('actor.system') : actor);

  function whyOf(showing: Extract<Showing, { state: 'NOTHING' }>): string {
    const status = showing.status === null ? '' : text(`status.${showing.status}`);
    return text(`shown.why.${showing.reason}`, { status, key: showing.scope?.key ?? '' });
  }

  function stateOf(showing: Showing): string {
    switch (showing.state) {
      case 'GIVEN':
        return wasExposed(showing)
          ? text('shown.exposed')
          : `${text('shown.nothing')}: ${text('shown.why.NO_CHANNEL')}`;
      case 'NOTHING':
        return `${text('shown.nothing')}: ${whyOf(showing)}`;
      case 'UNKNOWN':
        return text('shown.unknown');
    }
  }

  function channelsOf({ channels }: Known): string {
    if (channels.length === 0) return text('shown.channels.none');
    return channels.map(({ channel, inside }) => (inside ? channel : text('shown.outside', { channel }))).join(', ');
  }

  function causeOf(cause: ShownCause): string {
    switch (cause.kind) {
      case 'MOVE': {
        const move = text(`move.${cause.move}`);
        const told = text('shown.cause.MOVE', { move, actor: actorOf(cause.actor) });
        return cause.reason === null ? told : `${told}: ${reasonInWords(cause.reason, language)}`;
      }
      case 'EXPIRED':
        return text('shown.cause.EXPIRED', { time: cause.time });
      case 'SCOPE':
        return text(cause.enabled ? 'shown.cause.SCOPE.on' : 'shown.cause.SCOPE.off', {
          key: cause.key,
          by: cause.by ?? '',
        });
      case 'POLICY':
        return text('shown.cause.POLICY', { version: cause.version, by: cause.by ?? '' });
      case 'CHANNEL':
        return text(cause.open ? 'shown.cause.CHANNEL.open' : 'shown.cause.CHANNEL.closed', { channel: cause.channel });
      case 'REBUILD':
        return text(cause.held ? 'shown.cause.REBUILD.held' : 'shown.cause.REBUILD.over');
      case 'HOLD_OVER':
      case 'LAPSED':
      case 'FIELDS':
      case 'INSTRUMENT':
      case 'CORRECTED':
      case 'RECORD_BEGINS':
      case 'BACKUP_ENDS':
      case 'RESTORED':
      case 'CLOCK':
        return text(`shown.cause.${cause.kind}`);
    }
  }

  function causesOf({ causes }: ShownSpan): string[] {
    return causes.length === 0 ? [text('shown.start')] : [...new Set(causes.map(causeOf))];
  }

  return { timeOf, whyOf, stateOf, channelsOf, causesOf, actorOf };
}
