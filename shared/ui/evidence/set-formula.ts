/** Loaded only when a formula is drawn. */
import 'katex/dist/katex.min.css';
import katex from 'katex';

/** A longer source, or one that makes more of itself by definitions of its own, keeps a page standing still. */
const LONGEST = 2_000;
const DEFINES = /\\(?:[egx]?def|(?:future|global)?let|(?:new|renew|provide)command|global|long)(?![a-zA-Z])/;
/** Sizes that a formula names, in em. */
const LARGEST = 20;

/**
 * Sets a formula into an element, without inline style sheets or HTML of the formula's own. False where it is no valid
 * LaTeX, or takes more than a page has.
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
    // A formula that nests too deep ends at the stack.
    if (error instanceof katex.ParseError || error instanceof RangeError) return false;
    throw error;
  }
}
