// A path in one line. Where there is no room for all of it, its folder is cut, not its end.

import { showRow } from "./visible.ts";

export function PathText({ class: name, path }: { readonly class: string; readonly path: string }) {
  // A folder ends with a slash.
  const at = path.lastIndexOf("/", path.length - 2) + 1;
  return (
    <span class={`path ${name}`}>
      {at === 0 ? null : <span class="folder">{showRow(path.slice(0, at))}</span>}
      <span class="end">{showRow(path.slice(at))}</span>
    </span>
  );
}
