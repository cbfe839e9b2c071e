// Runs of all routines.

import { usePages } from "../live.ts";
import { Head } from "../parts.tsx";
import type { ShownRoutine } from "../wire.ts";
import { History } from "./history.tsx";

export function RunList() {
  const names = useNames();
  return (
    <section class="page wide">
      <Head title="Runs" />
      <History names={names} />
    </section>
  );
}

export function useNames(): ReadonlyMap<string, string> {
  const routines = usePages<ShownRoutine>("/v1/code/triggers");
  if (routines.hasMore.value) routines.more();
  return new Map(routines.value.value?.map(({ id, name }) => [id, name]));
}
