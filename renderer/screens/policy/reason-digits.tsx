import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { REASON_CODES } from '../../../shared/wire/console/console.ts';
import { MOST_REASON_DIGITS, readReasonDigits } from '../../../shared/wire/console/reason-digits.ts';
import { useText } from '../../i18n/use-text.ts';
import { isReasonCode } from '../../components/domain/reasons.ts';

/** The reasons with a digit in every form, one field for each digit (D237). @param value as in the policy */
export function ReasonDigits({
  value,
  isDisabled,
  onChange,
}: {
  value: string | null;
  isDisabled: boolean;
  onChange: (value: string | null) => void;
}): ReactNode {
  const text = useText();
  const codes = (value === null ? null : readReasonDigits(value)) ?? [];
  // The next digit is free once the one before it is given.
  const fields = [...codes, null].slice(0, MOST_REASON_DIGITS);
  return fields.map((code, index) => (
    <NativeSelect
      key={index}
      label={text('criterion.reasonDigits.of', { digit: index + 1 })}
      value={code ?? ''}
      disabled={isDisabled}
      data={[
        { value: '', label: text('criterion.reasonDigits.none') },
        ...REASON_CODES.filter((one) => one === code || !codes.includes(one)).map((one) => ({
          value: one,
          label: text(`reason.${one}`),
        })),
      ]}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        const next = isReasonCode(chosen) ? codes.toSpliced(index, 1, chosen) : codes.toSpliced(index, 1);
        onChange(next.length === 0 ? null : next.join(' '));
      }}
    />
  ));
}
