import { expect, test } from "bun:test";
import { callService, ServiceCallError } from "./service-call.ts";

const signal = new AbortController().signal;

function serve(answer: (path: string) => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: ({ url }) => answer(new URL(url).pathname) });
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  return { at, [Symbol.dispose]: () => void server.stop(true) };
}

test("an answer is cut at the limit, and a redirect is an answer", async () => {
  using server = serve((path) => (path === "/moved" ? Response.redirect("/", 302) : new Response("x".repeat(50))));
  const call = { method: "GET", signal };
  expect(await callService({ ...call, url: server.at("/"), maxBytes: 50 })).toMatchObject({ status: 200, cut: false });
  const { text, cut } = await callService({ ...call, url: server.at("/"), maxBytes: 10 });
  expect([text, cut]).toEqual(["x".repeat(10), true]);
  expect((await callService({ ...call, url: server.at("/moved") })).status).toBe(302);
});

test("a server that does not answer in time is an error without the query", async () => {
  using server = serve(() => new Promise<Response>(() => {}));
  const call = callService({ url: server.at("/slow?key=1"), method: "GET", signal, timeoutMs: 20 });
  await expect(call).rejects.toThrow(
    new ServiceCallError(`'${server.at("/slow")}' did not answer within 0.02 seconds`),
  );
});

test("an aborted call is no error of the server", async () => {
  using server = serve(() => new Promise<Response>(() => {}));
  const controller = new AbortController();
  const call = callService({ url: server.at("/"), method: "GET", signal: controller.signal });
  controller.abort(new Error("stop"));
  await expect(call).rejects.toThrow("stop");
});
