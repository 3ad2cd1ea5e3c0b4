/**
 * A text with markup as a browser would show it: tags, comments and what a page never shows are passed over, references
 * (`&nbsp;`, `&#48372;`) are their characters, block elements separate words and inline ones do not. Links and emphasis of
 * Markdown are read as a renderer shows them. Styles are not evaluated.
 *
 * The tokenizer of parse5 is that of the standard, and takes linear time; a tree of elements would take quadratic time for
 * a hostile text, and nothing here needs one.
 */
import { DecodingMode, HtmlEntityDecoder } from 'entities/decode';
import { Tokenizer, TokenizerMode, type Token } from 'parse5';
import { asReceived, Rewriting, type ReadText } from './read-text.ts';

const namesOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const BLOCKS = namesOf(
  'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup option p pre search ' +
    'section select summary table tbody td tfoot th thead tr ul',
);
const NEVER_SHOWN = namesOf('iframe noembed noframes noscript script style template title');
/** Elements whose content is no markup, and how the tokenizer reads it. */
const CONTENTS: Readonly<Record<string, Tokenizer['state']>> = {
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  plaintext: TokenizerMode.PLAINTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  textarea: TokenizerMode.RCDATA,
  title: TokenizerMode.RCDATA,
  xmp: TokenizerMode.RAWTEXT,
};

const MARKUP = /[<&]|\]\s?[([]|\*\*|__|~~|`/;

export const holdsMarkup = (text: string): boolean => MARKUP.test(text);

/** The page that a text with markup makes. */
export function readPage(text: string): ReadText {
  const received = asReceived(text);
  return readMarkdown(/[<&]/.test(text) ? readHtml(received) : received);
}

function readHtml(from: ReadText): ReadText {
  const page = new Rewriting(from);
  /** The element whose content is passed over, and how many of its name are open. */
  let hidden: { name: string; depth: number } | null = null;
  /** Where the letters since the last tag begin and end: of one run of them the tokenizer may tell a wrong place. */
  let run: { start: number; end: number } | null = null;
  const letters = ({ location }: Token.CharacterToken): void => {
    if (location !== null) run = { start: run?.start ?? location.startOffset, end: location.endOffset };
  };
  const endRun = (): void => {
    if (run !== null && hidden === null) resolve(from.text, run.start, run.end, page);
    run = null;
  };
  const separate = ({ tagName, location }: Token.TagToken): void => {
    endRun();
    if (hidden === null && location !== null && BLOCKS.has(tagName))
      page.replace(location.startOffset, location.endOffset, '\n');
  };
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (tag) => {
        const { tagName: name } = tag;
        separate(tag);
        if (hidden?.name === name) hidden.depth += 1;
        else if (hidden === null && NEVER_SHOWN.has(name)) hidden = { name, depth: 1 };
        if (Object.hasOwn(CONTENTS, name)) tokenizer.state = CONTENTS[name] ?? TokenizerMode.DATA;
      },
      onEndTag: (tag) => {
        separate(tag);
        if (hidden?.name !== tag.tagName) return;
        hidden.depth -= 1;
        if (hidden.depth === 0) hidden = null;
      },
      onCharacter: letters,
      onWhitespaceCharacter: letters,
      onNullCharacter: endRun,
      onComment: endRun,
      onDoctype: endRun,
      onEof: endRun,
    },
  );
  tokenizer.write(from.text, true);
  return page.done();
}

/** Takes over a part without tags, its references resolved. An end tag without a name shows nothing. */
function resolve(text: string, start: number, end: number, page: Rewriting): void {
  const part = text.slice(start, end);
  let done = 0;
  for (const { index, 0: mark } of part.matchAll(/&|<\/>/g)) {
    if (index < done) continue;
    const { length, letters } = mark === '&' ? referenceAt(part, index) : { length: mark.length, letters: '' };
    if (length === 0) continue;
    page.keep(start + done, start + index);
    page.replace(start + index, start + index + length, letters);
    done = index + length;
  }
  page.keep(start + done, end);
}

/** The letters that the reference after an ampersand stands for; a length of 0 where it is none. */
function referenceAt(text: string, at: number): { length: number; letters: string } {
  let letters = '';
  const decoder = new HtmlEntityDecoder((code) => {
    letters += String.fromCodePoint(code);
  });
  decoder.startEntity(DecodingMode.Legacy);
  const length = decoder.write(text.slice(at + 1, at + LONGEST_REFERENCE), 0);
  return { length: length < 0 ? decoder.end() : length, letters };
}

/** No name is longer, and no number needs as many digits. */
const LONGEST_REFERENCE = 64;

/** A link or an image with its text, and the marks of emphasis and of code. */
const MARKDOWN = /!?\[([^[\]]{1,300})\]\s?(?:\([^()\n]{0,1000}\)|\[[^[\]\n]{0,100}\])|\*{2,3}|__|~~|`+/g;

function readMarkdown(from: ReadText): ReadText {
  const shown = new Rewriting(from);
  let done = 0;
  for (const { index, 0: whole, 1: label } of from.text.matchAll(MARKDOWN)) {
    shown.keep(done, index);
    if (label !== undefined) {
      const begin = index + whole.indexOf('[') + 1;
      shown.keep(begin, begin + label.length);
    }
    done = index + whole.length;
  }
  if (done === 0) return from;
  shown.keep(done, from.text.length);
  return shown.done();
}
