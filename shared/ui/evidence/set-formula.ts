/** Loaded only when a formula is drawn. */
import 'katex/dist/katex.min.css';
import katex from 'katex';

/** Sets a formula into an element, without inline style sheets or HTML of the formula's own. False where it is no valid LaTeX. */
export function setFormula(latex: string, element: HTMLElement): boolean {
  try {
    katex.render(latex, element, { displayMode: true, throwOnError: true, trust: false, strict: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof katex.ParseError) return false;
    throw error;
  }
}
