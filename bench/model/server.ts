// The scripted model, in its own process so its work does not slow the client. Records when a request has fully
// arrived and when the last byte of its reply was written.

import { clock } from "../clock.ts";
import type { FromServer, Stamp, ToServer } from "./model.ts";
import { renderReply, type Reply } from "./script.ts";

/** Deltas per write. One write per delta would measure this process instead. */
const DELTAS_PER_WRITE = 20;

/** Replies so far, for their IDs: a client that continues a session must not see one twice. */
let rendered = 0;
let replies: string[][] = [];
let pauses: Pick<Reply, "afterMs" | "eventMs">[] = [];
let expected: readonly string[] = [];
let found: string[] = [];
let stamps: Stamp[] = [];

const send = (message: FromServer) => process.send?.(message);

process.on("message", (message: ToServer) => {
  if (message.type === "report") return send({ type: "report", stamps, found });
  replies = message.replies.map((reply) => renderReply(reply, rendered++));
  pauses = message.replies.map(({ afterMs, eventMs }) => ({ afterMs, eventMs }));
  expected = message.expected;
  found = [];
  stamps = [];
  send({ type: "ready" });
});
process.on("disconnect", () => process.exit(0));

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  maxRequestBodySize: 1 << 30,
  async fetch(request) {
    const body = Buffer.from(await request.arrayBuffer());
    const arrived = clock();
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/count_tokens")) return Response.json({ input_tokens: 100 });
    if (!pathname.endsWith("/messages")) return Response.json({});

    // A request without tools is a side request (such as a title), not a turn of the script.
    const isTurn = body.includes('"tools":[{');
    const turn = stamps.filter((stamp) => stamp.isTurn).length;
    const stamp: Stamp = { isTurn, arrived, bytes: body.length, ended: 0 };
    stamps.push(stamp);
    if (isTurn && turn === replies.length - 1) found = expected.filter((text) => body.includes(text));
    const { afterMs, eventMs } = (isTurn && pauses[turn]) || {};
    if (afterMs !== undefined) await Bun.sleep(afterMs);
    const events = isTurn ? (replies[turn] ?? renderReply({ text: "The script is over." }, turn)) : sideReply();
    return new Response(stream(events, stamp, eventMs), { headers: { "content-type": "text/event-stream" } });
  },
});
send({ type: "listening", port: server.port as number });

function stream(events: string[], stamp: Stamp, eventMs?: number): ReadableStream {
  const together = eventMs === undefined ? DELTAS_PER_WRITE : 1;
  let next = 0;
  return new ReadableStream({
    type: "direct",
    async pull(controller) {
      while (next + together < events.length) {
        controller.write(events.slice(next, next + together).join(""));
        await controller.flush();
        next += together;
        if (eventMs !== undefined) await Bun.sleep(eventMs);
      }
      stamp.ended = clock();
      controller.write(events.slice(next).join(""));
      await controller.end();
    },
  });
}

function sideReply(): string[] {
  return renderReply({ text: "ok" }, 0);
}
