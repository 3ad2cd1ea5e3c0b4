/** Accessibility as axe sees it. */
import axe from 'axe-core';
import type { Locator, Page } from 'playwright';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  help: string;
  nodes: string[];
}

/** The rules about colours: they differ between the schemes and not between the languages, and take half the time. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Which rules run: on a page already checked in another language or scheme, some cannot report anything new. */
export type AxeRules = 'ALL' | 'COLOURS' | 'ALL_BUT_COLOURS' | 'NAMES';

const OPTIONS: Readonly<Record<AxeRules, unknown>> = {
  ALL: { runOnly: { type: 'tag', values: WCAG } },
  COLOURS: { runOnly: { type: 'rule', values: COLOURS } },
  NAMES: { runOnly: { type: 'rule', values: ['label-content-name-mismatch'] } },
  ALL_BUT_COLOURS: {
    runOnly: { type: 'tag', values: WCAG },
    rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])),
  },
};

/** The violations that axe finds on a page, best practice included. */
export async function violations(page: Page, rules: AxeRules = 'ALL'): Promise<Violation[]> {
  return violationsIn(page.locator(':root'), rules);
}

/**
 * The violations in a part of a page: for a dialog or a notice on a screen that the tests of the layout judge whole. A
 * whole page takes up to half a second of processor time.
 */
export async function violationsIn(part: Locator, rules: AxeRules = 'ALL'): Promise<Violation[]> {
  const page = part.page();
  // The debugger loads axe: the content security policy does not bind it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return part.evaluate(async (element, options) => {
    const { axe: inPage } = globalThis as unknown as {
      axe: {
        run(
          context: unknown,
          options: unknown,
        ): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
      };
    };
    // Rules about a page as a whole run on the document alone.
    const context = element === document.documentElement ? document : element;
    // Of what passes, axe would name each element by a selector of its own.
    const { violations: found } = await inPage.run(context, { ...(options as object), resultTypes: ['violations'] });
    return found.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html.slice(0, 200)) }));
  }, OPTIONS[rules]);
}

/** Controls whose name differs from their visible label (WCAG 2.5.3): an axe rule that its tags exclude. */
export async function mismatchedNames(page: Page): Promise<Violation[]> {
  return violations(page, 'NAMES');
}
