/** The items of the context menu at a place. Pure. */

import type { ContextItem } from '../texts/texts.ts';

/** The part of Electron's description of the place that is used here. */
export interface Clicked {
  isEditable: boolean;
  selectionText: string;
  /** The address of the link under the pointer, empty for none. */
  linkURL: string;
  editFlags: { canCut: boolean; canCopy: boolean; canPaste: boolean; canSelectAll: boolean };
}

/** Only applicable items; none if none applies. */
export function contextItems({ isEditable, selectionText, linkURL, editFlags }: Clicked): ContextItem[] {
  const items: ContextItem[] = [];
  if (linkURL !== '') items.push('copyLink');
  if (isEditable && editFlags.canCut) items.push('cut');
  if (selectionText.trim() !== '' && editFlags.canCopy) items.push('copy');
  if (isEditable && editFlags.canPaste) items.push('paste');
  if (isEditable && editFlags.canSelectAll) items.push('selectAll');
  return items;
}
