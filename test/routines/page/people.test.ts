// People of keelson serve in a browser: the first admin, a passkey, somebody who is invited, a provider, and what each may do.

import { expect, test } from "bun:test";
import { LOOPBACK_CERTIFICATE, temporaryHome, testUnless } from "@keelson/testkit";
import type { Page } from "playwright-core";
import { openPage } from "../../sessions/web-page/browser.ts";
import { firstAdmin, firstLink, invited, type Person } from "../serve/person.ts";
import { CLIENT, startProvider } from "../serve/provider.ts";
import { freePort, serving } from "../serve/serving.ts";
import { claimRun, openStore } from "./kept-runs.ts";
import { noBrowser, press, show, signedIn, startBrowser } from "./person.ts";

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

testHere(
  "nothing is offered that the server would refuse: routines of others, calls and workers for admins",
  async () => {
    using home = temporaryHome();
    await using server = await serving({ home, args: ["--role", "api"] });
    const store = await openStore(home);
    const ada = await firstAdmin(server);
    const mel = await invited(server, ada, "member", "Mel");
    const moe = await invited(server, ada, "member", "Moe");
    const routine = { name: "Nightly", prompt: "Go", questions: "ask" };
    const { json: made } = await mel.call("POST", "/v1/code/triggers", routine);
    await mel.call("POST", `/v1/code/triggers/${made.id}/webhooks`, { kind: "http" });
    await mel.call("POST", `/v1/code/triggers/${made.id}/run`, {});
    await store.seen({ id: "a-worker", version: "1", slots: 2, draining: false });
    const run = await claimRun(store);
    await run.ask({
      subtype: "can_use_tool",
      tool_name: "Write",
      tool_use_id: "c1",
      input: { file_path: "/home/worker/x", content: "x" },
      blocked_path: "/home/worker/x",
      decision_reason_type: "workingDir",
    });
    await using browser = await startBrowser();
    const opened = async (person: Person, scope: string) => {
      const { json: token } = await person.call("POST", "/v1/tokens", { name: "page", scope });
      return signedIn(browser, server.url, token.token);
    };
    const [adas, mels, moes] = [await opened(ada, "admin"), await opened(mel, "write"), await opened(moe, "write")];
    const offered = async ({ page }: typeof adas, at: string, ready: string) => {
      await show(page, at);
      await page.locator(".main").getByText(ready).first().waitFor();
      const found = page.locator(".main :is(button, a.button):visible:not(:disabled)");
      return (await found.allInnerTexts()).filter((text) => text !== "About");
    };
    const own = ["Run now", "Pause", "Change", "Duplicate", "Delete"];
    const webhooks = ["Deliveries", "Change", "Replace the secret", "Remove"];
    const more = ["Let others start it by HTTP", "Start it by events on GitHub"];
    for (const who of [adas, mels])
      expect(await offered(who, `routine/${made.id}`, "at most")).toEqual([...own, ...webhooks, ...more]);
    expect(await offered(moes, `routine/${made.id}`, "at most")).toEqual(["Run now", "Duplicate", "Deliveries"]);
    await moes.page.getByText("This routine belongs to Mel; they or an admin can change it.").waitFor();
    expect(await offered(moes, `edit/${made.id}`, "belongs to Mel")).toEqual([]);

    // A call that reaches outside is for admins: the others see why, and may say no.
    const why = "Only an admin can allow this call: it reaches outside the checkout of the run";
    expect(await offered(moes, `run/${run.id}`, why)).toContain("Cancel");
    const allow = moes.page.locator(".question").getByRole("button", { name: "Allow", exact: true });
    expect([await allow.isDisabled(), await allow.getAttribute("aria-describedby")]).toEqual([true, "only-deny"]);
    await moes.page.locator(".question button:not(:disabled)").getByText("Deny", { exact: true }).waitFor();
    await show(adas.page, `run/${run.id}`);
    await adas.page.locator(".question button.primary:not(:disabled)").click();
    await moes.page.getByText("Answered by Ada").waitFor();
    const again = await claimRun(store);

    expect(await offered(moes, "workers", "a-worker")).toEqual([]);
    expect(await offered(adas, "workers", "1 of 2 at work")).toEqual(["Drain"]);
    await press(adas.page, "Drain");
    await moes.page.locator(".state").getByText("draining, by Ada").waitFor();
    await again.end({ state: "succeeded" });
    await moes.page.locator(".state").getByText("drained, by Ada").waitFor();
    await press(adas.page, "Take runs again");
    await moes.page.locator(".state").getByText("there", { exact: true }).waitFor();

    // These browsers have a token, with which nobody makes another one or lets somebody in.
    expect(await offered(adas, "tokens", "Sign in as a person")).toEqual([]);
    expect(await offered(adas, "users", "Sign in as a person")).toEqual([]);
    const { json: link } = await moe.call("POST", "/v1/devices", {});
    const asMoe = await openPage(browser);
    await asMoe.page.goto(link.link);
    await press(asMoe.page, "Sign in");
    await open(asMoe.page, "Tokens");
    await asMoe.page.getByRole("option", { name: "write" }).waitFor({ state: "attached" });
    expect(await asMoe.page.getByLabel("Scope").getByRole("option").allInnerTexts()).toEqual([
      "read",
      "write",
      "metrics",
    ]);
    expect([adas, mels, moes, asMoe].map(({ problems }) => problems)).toEqual([[], [], [], []]);
    await store.close();
  },
);
