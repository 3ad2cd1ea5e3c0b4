/** Whether no visible element has the focus: the one that had it is gone or hidden. */
export function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || !activeElement.checkVisibility();
}
