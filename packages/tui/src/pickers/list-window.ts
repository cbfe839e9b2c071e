// Which part of a long list is on the screen.

/** The first visible index, moved as little as needed to show the selected one. */
export function windowStart(start: number, selected: number, visible: number, count: number): number {
  const lowest = Math.min(start, selected, Math.max(0, count - visible));
  return Math.max(0, lowest, selected - visible + 1);
}

/** The new index for a `select:` action, or undefined if the action is not about moving. */
export function movedIndex(action: string, index: number, count: number, visible: number): number | undefined {
  const to = (wanted: number) => Math.max(0, Math.min(count - 1, wanted));
  switch (action) {
    case "select:next":
      return to(index + 1);
    case "select:previous":
      return to(index - 1);
    case "select:pageDown":
      return to(index + Math.max(1, visible - 1));
    case "select:pageUp":
      return to(index - Math.max(1, visible - 1));
    case "select:first":
      return to(0);
    case "select:last":
      return to(count - 1);
    default:
      return undefined;
  }
}
