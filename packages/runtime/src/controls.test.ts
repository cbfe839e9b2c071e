import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import { Controls } from "./controls.ts";

function controls(queued: readonly string[] = []) {
  const sent: Outbound[] = [];
  const target = new Controls({
    send: (message) => void sent.push(message),
    newId: () => `id-${sent.length}`,
    describe: () => ({}),
    queued: () => queued,
    setMode: () => undefined,
    setModel: async () => "model",
  });
  return { target, sent };
}

test("an interrupt withdraws the open question, then is acknowledged with the prompts that still wait", async () => {
  const { target, sent } = controls(["p1"]);
  const running = new AbortController();
  target.onInterrupt(() => running.abort());
  const asked = target.ask({ subtype: "can_use_tool" }, running.signal);

  target.handle({ type: "control_request", request_id: "r1", request: { subtype: "interrupt" } });

  expect(sent).toEqual([
    { type: "control_request", request_id: "id-0", request: { subtype: "can_use_tool" } },
    { type: "control_cancel_request", request_id: "id-0" },
    {
      type: "control_response",
      response: { subtype: "success", request_id: "r1", response: { still_queued: ["p1"] } },
    },
  ]);
  expect(await asked).toEqual({ subtype: "error", request_id: "id-0", error: "the run was interrupted" });
});

test("once the client has gone, questions are answered with an error, open ones too", async () => {
  const { target, sent } = controls();
  const { signal } = new AbortController();
  const open = target.ask({ subtype: "can_use_tool" }, signal);
  target.close();
  const error = "Tool permission stream closed before response received";
  expect(await open).toMatchObject({ subtype: "error", error });
  expect(await target.ask({ subtype: "can_use_tool" }, signal)).toMatchObject({ subtype: "error", error });
  expect(sent).toHaveLength(1);
});
