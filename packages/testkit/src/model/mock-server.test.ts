import { expect, test } from "bun:test";
import { connect } from "node:net";
import { startMockModel, type MockModel } from "./mock-server.ts";
import { toEvents, toMessage } from "./reply.ts";

const post = (model: MockModel, body: object, init: RequestInit = {}) =>
  fetch(`${model.url}/v1/messages?beta=true`, { method: "POST", body: JSON.stringify(body), ...init });

const eventsIn = (text: string) =>
  text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)));

/** Reads until the connection ends, and reports whether it broke. */
async function drain(response: Response) {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

test("the script answers a streamed and a plain request, and both are recorded", async () => {
  await using model = await startMockModel([{ text: "one", deltas: 2 }, { calls: [{ name: "Read", input: {} }] }]);

  const streamed = await post(model, { model: "m", stream: true }, { headers: { "x-api-key": "k" } });
  expect(streamed.headers.get("content-type")).toBe("text/event-stream");
  expect(eventsIn(await streamed.text())).toEqual(toEvents({ text: "one", deltas: 2 }, 1, "m"));

  const plain = await post(model, { model: "m" });
  expect(await plain.json()).toEqual(toMessage({ calls: [{ name: "Read", input: {} }] }, 2, "m"));

  const [first, second] = model.requests;
  expect({ method: first!.method, path: first!.path, key: first!.headers["x-api-key"], body: first!.body }).toEqual({
    method: "POST",
    path: "/v1/messages?beta=true",
    key: "k",
    body: { model: "m", stream: true },
  });
  expect(second!.at).toBeGreaterThanOrEqual(first!.at);
  expect(await Promise.all([first!.ended, second!.ended])).toEqual(["answered", "answered"]);
});

test("a refusal has status, headers and the API's error body", async () => {
  await using model = await startMockModel([{ status: 429, message: "slow", headers: { "retry-after": "2" } }]);
  const response = await post(model, { stream: true });
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    429,
    "2",
    { type: "error", error: { type: "rate_limit_error", message: "slow" } },
  ]);
});

test("a script that has run out says so, and asks not to be retried", async () => {
  await using model = await startMockModel([{ text: "only" }]);
  await post(model, {}).then((response) => response.text());
  const response = await post(model, {});
  expect([response.status, response.headers.get("x-should-retry"), await response.json()]).toEqual([
    500,
    "false",
    { type: "error", error: { type: "api_error", message: "script exhausted after 1 requests" } },
  ]);
});

test("a step that throws is answered with its message", async () => {
  await using model = await startMockModel(() => {
    throw new Error("boom");
  });
  const response = await post(model, {});
  expect([response.status, ((await response.json()) as any).error.message]).toEqual([400, "Script step 1 threw: boom"]);
});

test("a stream is cut where the script says, after everything before it has arrived", async () => {
  await using model = await startMockModel([
    { text: "half", cutAfter: "first_delta" },
    { text: "x".repeat(500_000), cutAfter: "first_block" },
    { text: "none", cutAfter: 0 },
  ]);

  const cut = await drain(await post(model, { stream: true }));
  expect(cut.broke).toBe(true);
  expect(eventsIn(cut.text)).toEqual(toEvents({ text: "half" }, 1).slice(0, 3));

  const large = await drain(await post(model, { stream: true }));
  expect(large.broke).toBe(true);
  expect(eventsIn(large.text).map(({ type }) => type)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
  ]);

  const refused = await post(model, { stream: true }).then(
    () => "answered",
    () => "broke",
  );
  expect(refused).toBe("broke");
  expect(await Promise.all(model.requests.map(({ ended }) => ended))).toEqual(["cut", "cut", "cut"]);
});

test("a plain reply is cut in the middle of its body", async () => {
  await using model = await startMockModel([{ text: "half", cutAfter: "first_delta" }]);
  const { text, broke } = await drain(await post(model, {}));
  expect({ broke, begins: text.startsWith('{"id":"msg_1"'), ends: text.endsWith("}") }).toEqual({
    broke: true,
    begins: true,
    ends: false,
  });
});

test("an error event comes in the middle of a stream", async () => {
  await using model = await startMockModel([
    { text: "x", errorAfter: { after: "message_start", type: "overloaded_error", message: "busy" } },
  ]);
  const events = eventsIn(await (await post(model, { stream: true })).text());
  expect(events.slice(1)).toEqual([{ type: "error", error: { type: "overloaded_error", message: "busy" } }]);
});

test("bytes arrive in chunks of the requested size, even through the middle of a character", async () => {
  await using model = await startMockModel([{ text: "é👍" }, { text: "é👍" }], { chunkBytes: 3, pings: true });
  const [start, ...rest] = toEvents({ text: "é👍" }, 1);
  const { text } = await drain(await post(model, { stream: true }));
  expect(eventsIn(text)).toEqual([start, { type: "ping" }, ...rest]);

  // The same again without a client that joins chunks: their headers show the sizes.
  const { promise: received, resolve } = Promise.withResolvers<string>();
  let raw = "";
  const socket = connect(Number(new URL(model.url).port), "127.0.0.1", () =>
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 15\r\n\r\n{"stream":true}'),
  );
  socket.on("data", (bytes) => {
    raw += bytes.toString("latin1");
    if (raw.endsWith("0\r\n\r\n")) resolve(raw);
  });
  const sizes = (await received).split("\r\n\r\n")[1]!.match(/(?<=^|\r\n)[0-9a-f](?=\r\n)/g)!;
  socket.destroy();
  expect(Math.max(...sizes.map((size) => Number.parseInt(size, 16)))).toBe(3);
  expect(sizes.length).toBeGreaterThan(200);
});

test("a held reply continues when the test says so", async () => {
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  await using model = await startMockModel([{ text: "now", hold }]);

  const answer = post(model, { model: "m" });
  const { body } = await model.waitForRequest(1);
  release();

  expect(body).toEqual({ model: "m" });
  expect(await (await answer).json()).toEqual(toMessage({ text: "now" }, 1, "m"));
});

test("a client that leaves a hanging reply is noticed", async () => {
  await using model = await startMockModel([{ text: "a", cutAfter: "first_delta", hang: true }]);
  const leaving = new AbortController();
  const response = await post(model, { stream: true }, { signal: leaving.signal });
  leaving.abort();
  await response.text().catch(() => {});
  expect(await model.requests[0]!.ended).toBe("abandoned");
});

test("closing ends hanging replies and pending waitForRequest() calls", async () => {
  const model = await startMockModel([{ hang: true }]);
  const answer = post(model, {}).catch(() => "broke");
  await model.waitForRequest(1);
  const second = model.waitForRequest(2).catch((error) => error.message);

  await model.close();

  expect(await answer).toBe("broke");
  expect(await second).toBe("Mock model closed before request 2; 1 came");
});

test("token counts and probes do not use up the script", async () => {
  await using model = await startMockModel([{ text: "still here" }], { countTokens: () => 42 });

  const counted = await fetch(`${model.url}/v1/messages/count_tokens`, { method: "POST", body: "{}" });
  const probed = await fetch(model.url, { method: "HEAD" });
  const unknown = await fetch(`${model.url}/v1/other`);

  expect(await counted.json()).toEqual({ input_tokens: 42 });
  expect([probed.status, unknown.status]).toEqual([200, 404]);
  expect(await (await post(model, {})).json()).toEqual(toMessage({ text: "still here" }, 1));
  expect(model.others.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/messages/count_tokens",
    "HEAD /",
    "GET /v1/other",
  ]);
});
