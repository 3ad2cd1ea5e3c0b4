/** Loaded only when a formula is shown. */
import 'katex/dist/katex.min.css';
import katex from 'katex';

/** A longer source, or one that expands itself by macros, would freeze the page. */
const LONGEST = 2_000;
const DEFINES = /\\(?:[egx]?def|(?:future|global)?let|(?:new|renew|provide)command|global|long)(?![a-zA-Z])/;
/** The largest size that a formula may name, in em. */
const LARGEST = 20;

/**
 * Sets a formula into an element, without inline style sheets and without HTML from the formula. False for invalid
 * LaTeX, or for a formula over the limits.
 */
export function setFormula(latex: string, element: HTMLElement): boolean {
  if (latex.length > LONGEST || DEFINES.test(latex)) return false;
  try {
    katex.render(latex, element, {
      displayMode: true,
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxSize: LARGEST,
    });
    return true;
  } catch (error) {
    // A formula that nests too deep overflows the stack.
    if (error instanceof katex.ParseError || error instanceof RangeError) return false;
    throw error;
  }
}
