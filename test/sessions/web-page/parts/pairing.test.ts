// A phone is signed in with what the page shows: a link, and a code to scan where other devices can reach the page.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { encode } from "uqr";
import { noBrowser, openPage, startBrowser } from "../browser.ts";
import { press } from "../person.ts";
import { startWeb } from "../web-client.ts";

const testHere = testUnless(noBrowser, test);

testHere("behind a proxy the link for another device is also a QR code, and it signs that device in", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const args = ["--behind-proxy", "https://keelson.example"];
  await using web = await startWeb({ home, url: model.url, args });
  const listens = await web.program.waitForLine((_, { text }) => /127\.0\.0\.1:\d+/.test(text));
  const port = /127\.0\.0\.1:(\d+)/.exec(listens.text)![1]!;
  await using browser = await startBrowser();
  const { page, context } = await openPage(browser);
  // The proxy.
  await context.route("https://keelson.example/**", async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    const response = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
      method: request.method(),
      headers: { ...(await request.allHeaders()), host: "keelson.example" },
      ...(request.postData() === null ? {} : { body: request.postData()! }),
    });
    const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== "content-encoding"));
    await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) });
  });
  await page.goto(web.link);
  await press(page, "Sign in");
  await page.getByRole("link", { name: "Devices" }).click();
  await press(page, "Link that only watches");
  const link = (await page.locator("pre.link").textContent())!;
  expect(link).toStartWith("https://keelson.example/#code=");
  const code = page.getByRole("img", { name: "The link as a QR code" });
  const drawn = await code.locator("path").getAttribute("d");
  const squares = encode(link, { border: 2 }).data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`${x} ${y}`] : [])),
  );
  expect([...drawn!.matchAll(/M(\d+ \d+)/g)].map(([, place]) => place!)).toEqual(squares);

  const request = await fetch(`http://127.0.0.1:${port}/v1/auth/code`, {
    method: "POST",
    headers: {
      host: "keelson.example",
      origin: "https://keelson.example",
      "content-type": "application/json",
    },
    body: JSON.stringify({ code: link.slice(link.indexOf("=") + 1), name: "A phone" }),
  });
  expect(request.status).toBe(200);
  await page.reload();
  const row = page.getByRole("listitem").filter({ hasText: "A phone" });
  await row.getByText("only watches", { exact: false }).waitFor();
  // What the page still asks for gets no answer: it would fail in the next test, after the server is gone.
  await context.unrouteAll({ behavior: "ignoreErrors" });
});

testHere("on the machine itself the link is for another browser there, and can be copied", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  await using browser = await startBrowser();
  const { page, context, problems } = await openPage(browser);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(web.link);
  await press(page, "Sign in");
  await page.getByRole("link", { name: "Devices" }).click();
  await press(page, "Link that may do everything");
  await page.getByText("on this machine only", { exact: false }).waitFor();
  expect(await page.locator(".qr").count()).toBe(0);
  await press(page, "Copy");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe((await page.locator("pre.link").textContent())!);
  expect(problems).toEqual([]);
});
