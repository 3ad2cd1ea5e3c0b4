import { expect, test, vi } from 'vitest';
import type { MenuAct } from '../../../shared/wire/console/program.ts';
import { menuTemplate, type MenuActions } from './menu-template.ts';

const nothing = (): void => undefined;
const act = vi.fn<MenuActions['act']>();
const actions: MenuActions = {
  ...{ act, print: nothing, reload: nothing, openSettings: nothing, openManual: nothing, about: nothing },
  ...{ checkForUpdate: nothing, exportDiagnostics: nothing, openLogs: nothing, openNotices: nothing },
};

const ACTS: MenuAct[] = [
  { id: 'approve', place: 'review', label: '승인', keys: 'Q', isEnabled: true },
  { id: 'reject', place: 'review', label: '반려', keys: null, isEnabled: false },
  { id: 'go:/review', place: 'go', label: 'Review & more', keys: 'G R', isEnabled: true },
  { id: 'log-out', place: 'file', label: '로그아웃', keys: null, isEnabled: true },
];

/** Menus with their items: label, or type for a separator. */
function drawn(offered: readonly MenuAct[]) {
  return menuTemplate('ko', offered, actions).map(({ label, submenu }) => ({
    label,
    items: Array.isArray(submenu) ? submenu : [],
  }));
}

test('without a logged-in user there is no menu without items, and none of the page', () => {
  expect(drawn([]).map(({ label }) => label)).toEqual(['파일', '편집', '보기', '도움말']);
  for (const { items } of drawn([])) expect(items[0]?.type).toBeUndefined();
});

test("the page's acts stand in their menus with the keys of its user, which the menu shows and does not take", () => {
  const menus = drawn(ACTS);
  expect(menus.map(({ label }) => label)).toEqual(['파일', '편집', '심사', '이동', '보기', '도움말']);
  const [file, , review, go] = menus;
  expect(review?.items).toMatchObject([
    { label: '승인', accelerator: 'Q', registerAccelerator: false, enabled: true },
    { label: '반려', enabled: false },
  ]);
  expect(review?.items[1]).not.toHaveProperty('accelerator');
  expect(go?.items).toMatchObject([{ label: 'Review && more (G R)' }]);
  expect(file?.items.map(({ label }) => label)).toContain('로그아웃');
  (review?.items[0]?.click as (() => void) | undefined)?.();
  expect(act).toHaveBeenCalledExactlyOnceWith(ACTS[0]);
});

test('every letter of the page is its own: only keys with Ctrl and function keys are taken', () => {
  const taken = drawn(ACTS)
    .flatMap(({ items }) => items)
    .filter(({ registerAccelerator }) => registerAccelerator !== false)
    .flatMap(({ accelerator }) => accelerator ?? []);
  expect(taken).toEqual(['CmdOrCtrl+P', 'CmdOrCtrl+,', 'CmdOrCtrl+Q', 'CmdOrCtrl+R', 'F1']);
});
