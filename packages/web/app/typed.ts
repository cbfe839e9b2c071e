// Letters are text, whatever has the focus: they press no button and choose nothing from a list.

/** Key combinations are commands of the browser. */
const isLetter = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent) =>
  key.length === 1 && key !== " " && !ctrlKey && !altKey && !metaKey;

/**
 * For `onKeyDown` of a list, or of something with buttons: a letter takes the focus to the field that is meant, so that it and
 * what is typed after it, spaces and line ends included, are written there; without such a field they go nowhere.
 */
export function typesInto(field: (at: Element) => HTMLElement | null): (event: KeyboardEvent) => void {
  return (event) => {
    const { target, currentTarget } = event;
    if (!(target instanceof HTMLElement) || !(currentTarget instanceof Element) || !isLetter(event)) return;
    if (target !== currentTarget && !(target instanceof HTMLButtonElement)) return;
    const found = field(currentTarget);
    if (found) found.focus();
    else target.blur();
  };
}
