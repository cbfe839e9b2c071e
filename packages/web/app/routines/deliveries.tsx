// What arrived at webhooks, and what was made of it.

import { useSignal } from "@preact/signals";
import { showRow } from "../transcript/visible.ts";
import { usePages } from "./live.ts";
import { Moment } from "./moment.tsx";
import { Head, More, Reason, Unread } from "./parts.tsx";
import type { ScreenProps } from "./screens.ts";
import type { ShownDelivery } from "./wire.ts";

const VERDICTS: Readonly<Record<ShownDelivery["verdict"], string>> = {
  run: "started a run",
  filtered: "filtered out",
  capped: "capped",
  skipped: "skipped",
  refused: "refused",
};

export function Deliveries({ rest: [webhook] }: ScreenProps) {
  const verdict = useSignal("");
  const query = [
    ...(webhook === undefined ? [] : [`webhook_id=${webhook}`]),
    ...(verdict.value === "" ? [] : [`verdict=${verdict.value}`]),
  ].join("&");
  const deliveries = usePages<ShownDelivery>(`/v1/deliveries${query === "" ? "" : `?${query}`}`);
  return (
    <section class="page wide">
      <Head title={webhook === undefined ? "Deliveries" : "Deliveries of a webhook"}>
        {webhook === undefined ? null : (
          <a class="button" href="#/deliveries">
            All
          </a>
        )}
      </Head>
      <fieldset class="segments filter">
        <legend class="hidden">Which deliveries</legend>
        {["", ...(Object.keys(VERDICTS) as ShownDelivery["verdict"][])].map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="verdict"
              checked={verdict.value === each}
              onChange={() => (verdict.value = each)}
            />
            {each === "" ? "All" : VERDICTS[each as ShownDelivery["verdict"]]}
          </label>
        ))}
      </fieldset>
      <Unread of={deliveries} />
      {deliveries.value.value?.length === 0 ? <p class="empty">Nothing has arrived.</p> : null}
      <ul class="rows">
        {deliveries.value.value?.map((delivery) => (
          <li key={delivery.id} class="row">
            <span class={`state ${delivery.verdict === "run" ? "succeeded" : delivery.verdict}`}>
              <span class="dot" aria-hidden="true" />
              {VERDICTS[delivery.verdict]}
            </span>
            <span class="title">{showRow(delivery.event ?? delivery.source)}</span>
            <span class="facts">
              <span>{showRow(delivery.source)}</span>
              <Moment at={delivery.at} />
              {delivery.run_id === null ? null : <a href={`#/run/${delivery.run_id}`}>The run</a>}
            </span>
            <Reason text={delivery.reason} />
          </li>
        ))}
      </ul>
      <More of={deliveries} />
    </section>
  );
}
