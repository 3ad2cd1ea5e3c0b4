/**
 * Runs work once the page has painted what the current task changed: somebody waits for the picture and nobody for the
 * work. A page that is hidden paints nothing, so there the work runs at once.
 * @returns takes the work back, where it has not run yet
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
