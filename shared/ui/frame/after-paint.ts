/**
 * Runs work once the page has painted the changes of the current task: the user waits for the picture, not for the
 * work. A hidden page paints nothing, so there the work runs at once. @returns cancels the work if it has not run yet
 */
export function afterPaint(work: () => void): () => void {
  if (document.hidden) {
    work();
    return () => undefined;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(work);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
