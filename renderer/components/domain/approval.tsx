import type { ReactNode } from 'react';
import { kstDate } from '../../../shared/time/kst.ts';
import type { ExplanationItem } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';

type Approved = Pick<ExplanationItem, 'approvalNumber' | 'validUntil'>;

/** Number of an approval and the last day of its validity; nothing where it has neither. */
export function Approval({ item: { approvalNumber, validUntil } }: { item: Approved }): ReactNode {
  const text = useText();
  return (
    <>
      {approvalNumber !== null && <span lang="ko">{approvalNumber}</span>}
      {approvalNumber !== null && validUntil !== null && ', '}
      {validUntil !== null && text('approval.until', { day: kstDate(new Date(Date.parse(validUntil) - 1)) })}
    </>
  );
}

export const isApproved = ({ approvalNumber, validUntil }: Approved): boolean =>
  approvalNumber !== null || validUntil !== null;
