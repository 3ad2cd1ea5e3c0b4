/**
 * Circles of imports, among files and among folders. A reader of one file of a circle has to read them all, and none of
 * them can be moved or tested alone. Types count as well; test code does not.
 */
import path from 'node:path';

export interface Arrow {
  from: string;
  to: string;
}

/** One line for each circle, with the arrows that close it. */
export function circles(arrows: readonly Arrow[]): string[] {
  const between = arrows
    .map((arrow) => ({ from: path.posix.dirname(arrow.from), to: path.posix.dirname(arrow.to), arrow }))
    .filter(({ from, to }) => from !== to);
  return [
    ...tied(arrows).map((files) => `a circle of files: ${files.join(', ')}`),
    ...tied(between).map((folders) => {
      const ties = between.filter(({ from, to }) => folders.includes(from) && folders.includes(to));
      const shown = new Map(ties.map(({ from, to, arrow }) => [`${from} ${to}`, `${arrow.from} -> ${arrow.to}`]));
      return `a circle of folders: ${folders.join(', ')} (${[...shown.values()].join('; ')})`;
    }),
  ];
}

/** The groups in which everything leads to everything (Tarjan), each sorted. */
function tied(arrows: readonly Arrow[]): string[][] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const order = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const visit = (place: string): number => {
    const number = order.size;
    order.set(place, number);
    let low = number;
    open.push(place);
    for (const { to } of next.get(place) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? low);
    }
    if (low === number) {
      const group = open.splice(open.lastIndexOf(place));
      if (group.length > 1 || next.get(place)?.some(({ to }) => to === place) === true) groups.push(group.toSorted());
    }
    return low;
  };
  for (const place of next.keys()) if (!order.has(place)) visit(place);
  return groups;
}
