// Who did what, newest first, for admins.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../connection/api.ts";
import { Failure, useAttempt } from "../session/sheets/attempt.tsx";
import { showRow } from "../transcript/visible.ts";
import { More, useRows } from "./rows.tsx";

interface ListedAudit {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

export function Audit() {
  const isRefused = useSignal(false);
  return (
    <section class="page wide">
      <header class="bar head">
        <h1 class="grow">Audit</h1>
        <label class="check">
          <input
            type="checkbox"
            checked={isRefused.value}
            onChange={({ currentTarget }) => (isRefused.value = currentTarget.checked)}
          />
          Only what was refused
        </label>
      </header>
      <AuditRows key={String(isRefused.value)} path={isRefused.value ? "/v1/audit?action=refused" : "/v1/audit"} />
    </section>
  );
}

function AuditRows({ path }: { readonly path: string }) {
  const audit = useRows<ListedAudit>(path);
  const names = useSignal<ReadonlyMap<string, string>>(new Map());
  const naming = useAttempt();
  useEffect(() => {
    void naming.run(async () => {
      const { body } = await api<{ data: readonly { id: string; name: string }[] }>("GET", "/v1/users?limit=100");
      names.value = new Map(body.data.map(({ id, name }) => [id, name]));
    });
  }, []);
  return (
    <>
      <Failure of={audit} />
      <Failure of={naming} />
      <div class="scrolled" tabIndex={0} role="region" aria-label="Rows of the audit">
        <table>
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>What</th>
              <th>To what</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {audit.rows.value?.map(({ id, at, actor, action, target, detail, address }) => (
              <tr key={id}>
                <td>
                  <time dateTime={at}>{new Date(at).toLocaleString()}</time>
                </td>
                <td>{showRow(names.value.get(actor) ?? actor)}</td>
                <td>
                  {showRow(action)} <span class="dim">{showRow(detailText(detail))}</span>
                </td>
                <td>{target === null ? "" : showRow(names.value.get(target) ?? target)}</td>
                <td>{showRow(address ?? "")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More of={audit} />
    </>
  );
}

const detailText = (detail: Readonly<Record<string, unknown>>) =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join("; ");
