/** Accessibility as axe sees it. */
import axe from 'axe-core';
import type { Page } from 'playwright';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  help: string;
  nodes: string[];
}

/** What axe finds on a page, best practice included. */
export async function violations(page: Page): Promise<Violation[]> {
  // By the debugger, which the content security policy does not bind.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (tags) => {
    const { axe: inPage } = globalThis as unknown as {
      axe: {
        run(options: unknown): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations: found } = await inPage.run({ runOnly: { type: 'tag', values: tags } });
    return found.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html.slice(0, 200)) }));
  }, WCAG);
}
