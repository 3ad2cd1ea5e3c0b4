import { describe, expect, test } from 'vitest';
import { boundEvidences } from './bounds.ts';
import { fromConsole, fromStored, hiddenHost, webLink, type EvidenceView } from '../../evidence/evidence.ts';
import { shapeOf } from './value-shape.ts';

describe('evidence', () => {
  test('its stored form and its console form render the same', () => {
    const stored = fromStored({
      kind: 'CALCULATION',
      title: '기여도',
      source: 'ETF 구성 종목·주식 시세',
      published_at: null,
      as_of: '2026-11-20',
      tool_run_id: 't-1',
      item_ids: ['i-1'],
      arguments: { weight: 0.2 },
      output: { contribution: 1 },
      formula_latex: 'a=b',
      description: '설명',
    });
    const asked = fromConsole({
      kind: 'CALCULATION',
      title: '기여도',
      source: 'ETF 구성 종목·주식 시세',
      published_at: null,
      asOf: '2026-11-20',
      toolRunId: 't-1',
      itemIds: ['i-1'],
      arguments: { weight: 0.2 },
      output: { contribution: 1 },
      formulaLatex: 'a=b',
      description: '설명',
    });
    expect(asked).toEqual(stored);
  });

  test('a document without identifiers gets none', () => {
    expect(fromStored({ kind: 'NEWS', title: null, source: 'X', published_at: null })).toEqual({
      form: 'document',
      kind: 'NEWS',
      title: null,
      source: 'X',
      publishedAt: null,
      link: null,
      newsId: null,
      toolRunId: null,
      itemIds: [],
    });
  });

  test.each([
    ['https://news.example/1', 'https://news.example/1'],
    ['http://news.example/1', 'http://news.example/1'],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['file:///etc/passwd', null],
    ['//news.example', null],
    ['news', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('only an address of the web is a link: %s', (uri, link) => {
    expect(webLink(uri)).toBe(link);
  });

  test.each([
    ['https://news.example/@user', null],
    ['https://news.example@other.example/1', 'other.example'],
    ['https://news.example%2F1:x@other.example:8443/', 'other.example:8443'],
    ['https://:news.example@other.example/', 'other.example'],
  ])('%s: a host behind a user is told', (link, host) => expect(hiddenHost(link)).toBe(host));
});

describe('stored values', () => {
  test('keep their form', () => {
    expect(shapeOf('1.20')).toEqual({ shape: 'scalar', text: '1.20', numeric: false });
    expect(shapeOf(-3.4)).toEqual({ shape: 'scalar', text: '-3.4', numeric: true });
    expect(shapeOf(1e21)).toEqual({ shape: 'scalar', text: '1e+21', numeric: true });
    expect(shapeOf(false)).toEqual({ shape: 'scalar', text: 'false', numeric: false });
    expect(shapeOf(null)).toEqual({ shape: 'none' });
    expect(shapeOf(undefined)).toEqual({ shape: 'none' });
  });

  test('records of one shape form a table of all their columns; others a list', () => {
    expect(shapeOf([{ a: 1 }, { a: 2, b: 3 }])).toEqual({
      shape: 'table',
      columns: ['a', 'b'],
      rows: [{ a: 1 }, { a: 2, b: 3 }],
    });
    expect(shapeOf([1, 2])).toEqual({ shape: 'list', values: [1, 2] });
    expect(shapeOf([{ a: 1 }, 2])).toMatchObject({ shape: 'list' });
    expect(shapeOf([{ a: { b: 1 } }])).toMatchObject({ shape: 'list' });
    expect(shapeOf([])).toEqual({ shape: 'list', values: [] });
    expect(shapeOf({ a: 1 })).toEqual({ shape: 'record', entries: [['a', 1]] });
  });

  test('rows that share few columns form a list: a table would be far larger than its content', () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({ [`column${index}`]: index }));
    expect(shapeOf(rows)).toEqual({ shape: 'list', values: rows });
  });
});

describe('the evidence laid out', () => {
  const holding = (count: number): EvidenceView =>
    fromStored({
      kind: 'CALCULATION',
      title: '기여도',
      source: '시세',
      published_at: null,
      as_of: null,
      tool_run_id: 't',
      item_ids: [],
      arguments: {},
      output: { values: Array.from({ length: count }, (_, index) => index) },
      formula_latex: null,
      description: '',
    });

  test('is the whole of an ordinary explanation', () => {
    expect(boundEvidences([holding(100), holding(100)]).map(({ isLaidOut }) => isLaidOut)).toEqual([true, true]);
  });

  test('leaves out a large evidence but not those after it; a long list is cut', () => {
    expect(boundEvidences([holding(5_000), holding(10)]).map(({ isLaidOut }) => isLaidOut)).toEqual([false, true]);
    const many = boundEvidences(Array.from({ length: 1_000 }, () => holding(100)));
    expect(many).toHaveLength(200);
    expect(many.filter(({ isLaidOut }) => isLaidOut)).toHaveLength(19);
  });
});
