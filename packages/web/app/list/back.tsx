/** Where the list is not beside the view, it leads there. */
export function Back() {
  return (
    <a class="back" href="#/" aria-label="All sessions">
      ‹
    </a>
  );
}
