/** What the server told this page before any request (D21, D231): elements of the page itself, in JSON. */
import { DEMO_NAME, type DemoOffer } from '../../wire/sign-in.ts';

/** The parts of a document that are used here. */
export interface PageDocument {
  querySelector(selector: string): { getAttribute(name: string): string | null } | null;
}

/** Null where the server told nothing. The server that sent the page also wrote this content. */
export function readPageData<Value>(page: PageDocument, name: string): Value | null {
  const content = page.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? null;
  return content === null ? null : (JSON.parse(content) as Value);
}

/** What a demo offers; null everywhere else. */
export const readDemo = (page: PageDocument): DemoOffer | null => readPageData<DemoOffer>(page, DEMO_NAME);
