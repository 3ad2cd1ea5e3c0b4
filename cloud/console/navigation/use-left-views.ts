import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { kstDate } from '../../../shared/time/kst.ts';
import { useNow } from '../../../shared/ui/time/use-now.ts';
import { queryTo, readViews, viewed, type ViewedScreen } from './left-views.ts';

const KEY = 'causeway.operator.views';

/** The query with which the menu leads to each screen. Kept for the life of the window, through a load of the page. */
export function useLeftViews(screens: readonly ViewedScreen[]): (screen: ViewedScreen) => string {
  const [location] = useLocation();
  const query = useSearch();
  const today = kstDate(useNow());
  const [left, setLeft] = useState(() => readViews(sessionStorage.getItem(KEY)));
  const here = screens.find(({ href }) => location === href || location.startsWith(`${href}/`));
  const next = here === undefined ? left : viewed(left, here, query, today);
  if (next !== left) setLeft(next);
  useEffect(() => sessionStorage.setItem(KEY, JSON.stringify(left)), [left]);
  return (screen) => queryTo(left, screen);
}
