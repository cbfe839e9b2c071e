// /web at a terminal: the session goes on in a browser, too.

import { expect, test } from "bun:test";
import { openAtTerminal } from "../terminal/at-terminal.ts";
import { signInWith } from "./web-client.ts";

const isResult = (message: any) => message.type === "result";

test("/web shows this session on the page; both type and read, and questions go to both", async () => {
  await using at = await openAtTerminal([
    { text: "Said to the terminal." },
    { text: "Said to the page." },
    { calls: [{ name: "Bash", input: { command: "make beta" } }] },
    { text: "Allowed from the page." },
  ]);
  const { terminal, model } = at;
  terminal.type("first\r");
  await terminal.until("Said to the terminal.");
  const linkFor = async () => {
    terminal.type("/web\r");
    await terminal.until("In the browser");
    await terminal.until(/#code=[\w-]{43}/);
    const link = /http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}/.exec(terminal.screen().join("\n"))![0];
    terminal.press("esc");
    await terminal.until("✻ This session is on the page");
    return link;
  };
  const link = await linkFor();
  const device = await signInWith(link);
  await expect(signInWith(link)).rejects.toThrow("used before");
  const { json } = await device.request("GET", "/v1/sessions");
  expect(json.data).toMatchObject([{ id: device.leadsTo, open: true, state: "idle", title: "first" }]);
  using stream = device.stream(device.leadsTo!);
  stream.prompt("second");
  await stream.until(isResult);
  await terminal.until("Said to the page.");
  terminal.type("third\r");
  await terminal.until("Run this command?");
  const { request_id } = await stream.until(({ type }) => type === "control_request");
  stream.send({
    type: "control_response",
    response: { subtype: "success", request_id, response: { behavior: "allow" } },
  });
  await terminal.until("Allowed from the page.");
  // Whoever has a link is the user: the model never sees one.
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain("#code=");
  terminal.type("/exit\r");
  expect((await stream.closed).code).toBe(4010);
  await terminal.exited;
  await expect(fetch(link)).rejects.toThrow();
});

test("what a terminal was allowed does not count for the sessions of its page", async () => {
  await using at = await openAtTerminal([{ calls: [{ name: "Bash", input: { command: "make beta" } }] }], {
    args: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
  });
  const { terminal } = at;
  terminal.type("/web https://example.org/keelson\r");
  await terminal.until(/The proxy asks http:\/\/127\.0\.0\.1:\d+/);
  await terminal.until("https://example.org/keelson/#code=");
  terminal.press("esc");
  await terminal.until("✻ This session is on the page");
  terminal.type("/web http://example.org\r");
  await terminal.until("must begin with https://");
  terminal.type("/web\r");
  await terminal.until(/http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}/);
  const device = await signInWith(/http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}/.exec(terminal.screen().join("\n"))![0]);
  using stream = device.stream(await device.begin());
  stream.prompt("go");
  expect((await stream.until(({ type }) => type === "control_request")).request).toMatchObject({ tool_name: "Bash" });
});
