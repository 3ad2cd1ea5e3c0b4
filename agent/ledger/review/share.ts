/** The draw of a share. It follows from a text alone, so that anybody can prove that none was chosen by hand. */
import { hash } from 'node:crypto';

/** Whether what a text names belongs to a share in percent: a larger share holds every smaller one. */
export function isInShare(text: string, share: number): boolean {
  const drawn = Number.parseInt(hash('sha256', text).slice(0, 8), 16);
  return (drawn / 2 ** 32) * 100 < share;
}
