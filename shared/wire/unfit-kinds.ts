/** What can make a text unfit for readers (D210), in the order in which it is told. */
export const UNFIT_KINDS = ['CHARACTERS', 'MARKUP', 'PLACEHOLDER', 'GARBLED', 'FOREIGN', 'ASSISTANT'] as const;
export type UnfitKind = (typeof UNFIT_KINDS)[number];
