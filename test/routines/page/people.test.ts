// People of keelson serve in a browser: the first admin, a passkey, somebody who is invited, a provider, and what each may do.

import { expect, test } from "bun:test";
import { LOOPBACK_CERTIFICATE, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { openPage } from "../../sessions/web-page/browser.ts";
import { firstLink } from "../serve/person.ts";
import { CLIENT, startProvider } from "../serve/provider.ts";
import { freePort, serving } from "../serve/serving.ts";
import { noBrowser, press, startBrowser } from "./person.ts";

const testHere = testUnless(noBrowser, test);

/** A passkey in the browser itself, which verifies whoever is there. */
async function withAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const open = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
const screensOf = (page: Page) => page.getByRole("navigation").getByRole("link").allInnerTexts();

/** With the session of this browser: every request that changes something, as the server describes itself. */
const writesThatPass = (page: Page) =>
  page.evaluate(async () => {
    const token = sessionStorage.getItem("keelson-token");
    const send = (method: string, path: string) =>
      fetch(`.${path.replaceAll(/\{\w+\}/g, "trig_1")}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
      });
    const described: any = await (await send("GET", "/v1/openapi.json")).json();
    const passed: string[] = [];
    let tried = 0;
    for (const [path, methods] of Object.entries<Record<string, any>>(described.paths))
      for (const [method, operation] of Object.entries(methods)) {
        if (operation["x-role"] === undefined || operation["x-role"] === "viewer") continue;
        tried++;
        const { status } = await send(method.toUpperCase(), path);
        // An id of another form is at no address.
        if (status !== 403 && status !== 404) passed.push(`${method} ${path}: ${status}`);
      }
    return { tried, passed };
  });

testHere(
  "the first admin comes by the link, adds a passkey, invites a viewer, and somebody signs in at a provider",
  async () => {
    using home = temporaryHome();
    const port = await freePort();
    await using provider = await startProvider(() => `http://localhost:${port}/v1/auth/oidc/callback`);
    provider.account = { id: "u-1", name: "Mel", groups: ["staff"] };
    const oidc = ["--oidc-issuer", provider.issuer, "--oidc-client", CLIENT.id, "--oidc-role", "staff=member"];
    await using server = await serving({
      home,
      port,
      args: ["--role", "api", ...oidc, "--oidc-scopes", "openid profile groups"],
      env: { KEELSON_OIDC_SECRET: CLIENT.secret },
    });
    await using browser = await startBrowser();
    const ada = await openPage(browser);
    const { page } = ada;
    await withAuthenticator(page);
    const link = await firstLink(server);
    const site = link.split("#")[0]!;
    await page.goto(site);
    await page.getByText("Nobody can sign in yet.").waitFor();
    await page.goto(link);
    await page.reload();
    await page.goto(link);
    // The page that is there takes the second link, and its code does not stay in the address.
    await page.waitForURL(site);
    await page.getByLabel("Your name").fill("Ada");
    await press(page, "Sign in");
    await heading(page, "My account");
    await page.getByText("You have no passkey yet.").waitFor();
    await press(page, "Add a passkey");
    await page.getByText("never used").waitFor();
    await press(page, "Remove");
    await press(page, "Remove it");
    await page.getByText("This is your last passkey; add another one first").waitFor();

    await page.getByRole("navigation").getByRole("button", { name: "Sign out" }).click();
    await press(page, "Sign in with a passkey");
    await open(page, "My account");
    await page.getByText("this device").waitFor();
    expect(await page.getByText("Chrome on Linux").count()).toBe(2);

    await open(page, "Users");
    await page.getByLabel("Name", { exact: true }).fill("Vic");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await press(page, "Invite");
    await page.getByText("Send this link to Vic.").waitFor();
    const invitation = await page.locator("pre.link").innerText();

    const vic = await openPage(browser, { size: "phone" });
    await vic.page.goto(invitation);
    await vic.page.getByText("This link signs this browser in, once.").waitFor();
    await press(vic.page, "Sign in");
    await heading(vic.page, "My account");
    const again = await openPage(browser);
    await again.page.goto(invitation);
    await press(again.page, "Sign in");
    await again.page.getByText("The link was used before or is too old; get a new one").waitFor();
    await vic.page.getByRole("button", { name: "Menu" }).click();
    expect(await screensOf(vic.page)).toEqual([
      "Routines",
      "Runs",
      "Deliveries",
      "Environments",
      "Workers",
      "Tokens",
      "My account",
    ]);
    await open(vic.page, "Routines");
    await vic.page.getByText("There are no routines yet.").waitFor();
    expect(await vic.page.getByRole("link", { name: "New", exact: true }).count()).toBe(0);
    const { tried, passed } = await writesThatPass(vic.page);
    expect(passed).toEqual([]);
    expect(tried).toBeGreaterThan(20);

    const mel = await openPage(browser);
    await mel.page.goto(site);
    await mel.page.getByRole("button", { name: "Sign in at" }).click();
    await heading(mel.page, "Routines");
    expect(mel.page.url()).toBe(`${site}#/`.replace("#/", ""));
    await mel.page.getByRole("link", { name: "New", exact: true }).waitFor();
    provider.account = undefined;
    const eve = await openPage(browser);
    await eve.page.goto(site);
    await eve.page.getByRole("button", { name: "Sign in at" }).click();
    await eve.page.getByText("The sign-in was cancelled at").waitFor();

    // What is taken from somebody is gone while they look at it.
    await open(page, "Audit");
    await open(page, "Users");
    await page.getByLabel("Role of Mel").selectOption("viewer");
    await page.getByLabel("Role of Mel").and(page.locator("select")).waitFor();
    await mel.page.reload();
    await mel.page.getByText("only watches").waitFor();
    expect(await mel.page.getByRole("link", { name: "New", exact: true }).count()).toBe(0);
    await page.locator("li", { hasText: "Vic" }).getByRole("button", { name: "Remove" }).click();
    await press(page, "Remove them");
    await vic.page.getByRole("heading", { name: "Keelson", exact: true }).waitFor();

    await open(page, "Tokens");
    await page.getByLabel("Name", { exact: true }).fill("A script");
    await press(page, "Make");
    await page.getByText("It is not shown again.").waitFor();
    const token = await page.locator("pre.link").innerText();
    const asked = await fetch(`${server.url}/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await asked.json()).toMatchObject({ id: "usr_first", name: "Ada", role: "member", is_program: true });
    await open(page, "Audit");
    await page.getByRole("cell", { name: "user.remove" }).waitFor();
    await page.getByLabel("Only what was refused").check();
    await page
      .getByRole("cell", { name: /^refused/ })
      .first()
      .waitFor();
    expect(await page.getByRole("cell", { name: "user.remove" }).count()).toBe(0);
    expect([ada, vic, again, mel, eve].map(({ problems }) => problems)).toEqual([[], [], [], [], []]);
  },
);

testHere(
  "behind TLS, a browser is signed in by a cookie that the page cannot read, and signed out by its end",
  async () => {
    using home = temporaryHome();
    const port = await freePort();
    // It passes requests on, as a proxy with TLS does.
    const proxy = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { cert: LOOPBACK_CERTIFICATE.cert, key: LOOPBACK_CERTIFICATE.key },
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const headers = new Headers(request.headers);
        headers.set("Accept-Encoding", "identity");
        const body = request.method === "GET" ? {} : { body: await request.arrayBuffer() };
        const { method } = request;
        const reply = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method, headers, ...body });
        const answered = new Headers(reply.headers);
        for (const name of ["content-length", "transfer-encoding", "connection"]) answered.delete(name);
        return new Response(await reply.arrayBuffer(), { status: reply.status, headers: answered });
      },
    });
    await using _ = { [Symbol.asyncDispose]: () => proxy.stop(true) };
    const address = `https://127.0.0.1:${proxy.port}`;
    await using server = await serving({ home, port, args: ["--role", "api", "--behind-proxy", address] });
    await using browser = await startBrowser();
    const { page, context, problems } = await openPage(browser);
    await page.goto(await firstLink(server));
    await page.getByLabel("Your name").fill("Ada");
    await press(page, "Sign in");
    await heading(page, "My account");
    const [cookie, ...others] = await context.cookies();
    expect([cookie, others]).toEqual([
      expect.objectContaining({ name: "__Host-keelson", httpOnly: true, secure: true, sameSite: "Strict", path: "/" }),
      [],
    ]);
    const kept = await page.evaluate("[document.cookie, JSON.stringify({ ...localStorage, ...sessionStorage })]");
    expect(kept).toEqual(["", '{"keelson-token":""}']);
    // Another tab is signed in, too.
    const tab = await context.newPage();
    await tab.goto(address);
    await heading(tab, "Routines");
    await open(tab, "Users");
    await tab.getByText("Ada").first().waitFor();
    await page.getByRole("navigation").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Use a link").waitFor();
    expect(await context.cookies()).toEqual([]);
    await tab.reload();
    await tab.getByText("Use a link").waitFor();
    // Under a number there are no passkeys, and the page offers none.
    expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
    expect(problems).toEqual([]);
  },
);
