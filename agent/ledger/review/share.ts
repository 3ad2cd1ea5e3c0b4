/** The draw of a share, from a text alone, so that it can be verified that none was chosen by hand. */
import { hash } from 'node:crypto';

/** Whether the item that `text` names is in a share in percent: a larger share holds every smaller one. */
export function isInShare(text: string, share: number): boolean {
  const drawn = Number.parseInt(hash('sha256', text).slice(0, 8), 16);
  return (drawn / 2 ** 32) * 100 < share;
}
