import { Radio } from '@mantine/core';
import { useId, useRef, type ReactNode } from 'react';
import classes from './actions.module.css';
import { useDigits } from './use-digits.ts';

export interface DigitRadiosProps<T extends string> {
  legend: string;
  options: readonly T[];
  labelOf: (option: T) => string;
  /** Null without a choice. */
  chosen: T | null;
  onChoose: (option: T) => void;
  /** Called after a choice by digit, which otherwise focuses the option. */
  onDigit?: (option: T) => void;
}

/** A few options, each with its digit. A digit chooses and sends nothing. */
export function DigitRadios<T extends string>({
  legend,
  options,
  labelOf,
  chosen,
  onChoose,
  onDigit,
}: DigitRadiosProps<T>): ReactNode {
  const name = useId();
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const digitOf = useDigits(options, fieldset, (option) => {
    onChoose(option);
    fieldset.current?.querySelector<HTMLElement>(`[value="${option}"]`)?.focus();
    onDigit?.(option);
  });
  return (
    <fieldset ref={fieldset} className={classes['reasons']} data-digits data-few>
      <legend>{legend}</legend>
      {options.map((option, index) => {
        const digit = digitOf(index);
        return (
          <Radio
            key={option}
            name={name}
            value={option}
            label={
              <>
                {digit !== null && <kbd aria-hidden="true">{digit}</kbd>} {labelOf(option)}
              </>
            }
            aria-keyshortcuts={digit ?? undefined}
            checked={chosen === option}
            onChange={() => onChoose(option)}
          />
        );
      })}
    </fieldset>
  );
}
