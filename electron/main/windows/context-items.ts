/** The items of the menu under the right mouse button at a place. Pure. */

import type { ContextItem } from '../texts/texts.ts';

/** The part of Electron's description of the place that decides. */
export interface Clicked {
  isEditable: boolean;
  selectionText: string;
  /** The address of the link under the pointer, empty for none. */
  linkURL: string;
  editFlags: { canCut: boolean; canCopy: boolean; canPaste: boolean; canSelectAll: boolean };
}

/** Only what can be done there; none where nothing can. */
export function contextItems({ isEditable, selectionText, linkURL, editFlags }: Clicked): ContextItem[] {
  const items: ContextItem[] = [];
  if (linkURL !== '') items.push('copyLink');
  if (isEditable && editFlags.canCut) items.push('cut');
  if (selectionText.trim() !== '' && editFlags.canCopy) items.push('copy');
  if (isEditable && editFlags.canPaste) items.push('paste');
  if (isEditable && editFlags.canSelectAll) items.push('selectAll');
  return items;
}
