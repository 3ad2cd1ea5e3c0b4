/** The words of a web console: complete in both languages, all of them used, none in the code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';
import { sharedCatalogues, type Catalogues } from '../../shared/ui/i18n/catalogue.ts';
import { compileCatalogue } from '../../shared/ui/i18n/compiled-messages.ts';
import { markParticles } from '../../shared/ui/i18n/particles.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SHARED = 'shared/ui';
const CONSOLES = ['renderer', 'cloud/console'];

/** 이(가), (으)로: both forms written where one must be computed. */
const BOTH_PARTICLES = /[가-힣]\([이가을를은는과와]\)|\(으\)로/u;
/** A fixed particle right after a value, which may end either way. */
const FIXED_PARTICLE = /\}[”’"']?(?:을|를|이|가|은|는|과|와|으로)(?![가-힣])/u;

interface Source {
  name: string;
  code: string;
}

/** Every source of the screens below some folders, except the catalogues. */
function sourcesOf(folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !/(^|\/)(dist|i18n)\//.test(name))
      .map((name) => ({ name, code: readFileSync(path.join(ROOT, name), 'utf8') })),
  );
}

const withoutComments = (code: string): string => code.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"])\/\/.*$/gm, '');

/** The values of a message, from its compiled form: `[name, kind, { case: tokens }]`. */
const placeholders = (message: string): string[] => {
  const names = new Set<string>();
  const visit = (token: unknown): void => {
    if (!Array.isArray(token)) return;
    const [name, , cases] = token as [string, string?, Record<string, unknown>?];
    names.add(name);
    if (typeof cases !== 'object') return;
    for (const tokens of Object.values(cases)) if (Array.isArray(tokens)) tokens.forEach(visit);
  };
  compileMessageOrThrow(message).forEach(visit);
  return [...names].sort();
};

/** Ids as written in the code: whole, or as a template whose gaps stand for one or more parts. */
function writtenIds(sources: readonly Source[]): RegExp[] {
  return sources
    .flatMap(({ code }) =>
      [...withoutComments(code).matchAll(/'([a-z][\w-]*(?:\.[\w-]+)+)'|`([a-z][\w-]*\.[^`]*)`/gi)].map(
        (match) => match[1] ?? match[2] ?? '',
      ),
    )
    .map((id) => {
      const parts = id.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`));
      return new RegExp(`^${parts.join('.+')}$`);
    });
}

export interface CatalogueTests {
  /** The console's folder: `renderer`. */
  folder: string;
  /** Its own words together with the shared ones. */
  catalogues: Catalogues;
  /** Minimum numbers of sources and calls: a check without input proves nothing. */
  least: { sources: number; asked: number };
}

export function testCatalogues({ folder, catalogues, least }: CatalogueTests): void {
  const sources = sourcesOf([folder, SHARED]);
  const ids = Object.keys(catalogues.ko);

  describe('both languages', () => {
    test('there are sources to check', () => {
      expect(sources.length).toBeGreaterThan(least.sources);
    });

    test('have the same messages', () => {
      expect(Object.keys(catalogues.en).sort()).toEqual(Object.keys(catalogues.ko).sort());
    });

    test('have a text for every message, in valid ICU', () => {
      for (const language of ['ko', 'en'] as const) {
        expect(() => compileCatalogue(catalogues[language])).not.toThrow();
        for (const [id, message] of Object.entries(catalogues[language]))
          expect(message.trim(), `${language} ${id}`).not.toBe('');
      }
    });

    test('take the same values in each message', () => {
      for (const [id, message] of Object.entries(catalogues.ko)) {
        expect(placeholders(catalogues.en[id] ?? ''), id).toEqual(placeholders(message));
      }
    });

    test('Korean messages hold Korean, English ones none', () => {
      const isName = (message: string): boolean => /^[\W\d]*$|^Causeway$|^\{time\} KST$|^KST$/u.test(message);
      for (const [id, message] of Object.entries(catalogues.ko)) {
        if (!isName(message)) expect(message, id).toMatch(/\p{Script=Hangul}/u);
      }
      for (const [id, message] of Object.entries(catalogues.en)) expect(message, id).not.toMatch(/\p{Script=Hangul}/u);
    });
  });

  test('particles are computed from the word before them: `{name}[이/가]`', () => {
    for (const [id, message] of Object.entries(catalogues.ko)) {
      expect(message, id).not.toMatch(BOTH_PARTICLES);
      expect(message, id).not.toMatch(FIXED_PARTICLE);
      expect(markParticles(message), `${id}: brackets that hold no known pair`).not.toMatch(/\[[^\]]*\]/);
    }
  });

  describe('in the code', () => {
    test('every message is used somewhere', () => {
      const own = writtenIds(sources);
      const anywhere = writtenIds(sourcesOf([...CONSOLES, SHARED]));
      const unused = ids.filter(
        (id) => !(id in sharedCatalogues.ko ? anywhere : own).some((pattern) => pattern.test(id)),
      );
      expect(unused).toEqual([]);
    });

    test('every message requested by its id exists', () => {
      const asked = sources.flatMap(({ name, code }) =>
        [...withoutComments(code).matchAll(/\btext\(\s*'([^']+)'/g)].map((match) => ({ name, id: match[1] ?? '' })),
      );
      expect(asked.length).toBeGreaterThan(least.asked);
      expect(asked.filter(({ id }) => !ids.includes(id))).toEqual([]);
    });

    test('no Hangul occurs outside the catalogues', () => {
      const found = sources
        .filter(({ code }) => /\p{Script=Hangul}/u.test(withoutComments(code)))
        .map(({ name }) => name);
      expect(found).toEqual([]);
    });

    test('no words occur between tags or in visible attributes', () => {
      const found = sources
        .filter(({ name }) => name.endsWith('.tsx'))
        .flatMap(({ name, code }) => {
          const plain = withoutComments(code);
          const between = [...plain.matchAll(/<\/?[a-zA-Z][^<>]*>([^<>{}]*[a-zA-Z]{2,}[^<>{}]*)<\//g)].map((match) =>
            match[1]?.trim(),
          );
          const attributes = [...plain.matchAll(/\b(?:aria-label|title|label|placeholder|alt)="([^"]*)"/g)].map(
            (match) => match[1],
          );
          return [...between, ...attributes].map((words) => `${name}: ${words}`);
        });
      expect(found).toEqual([]);
    });
  });
}
