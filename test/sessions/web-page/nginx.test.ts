// The page behind nginx, under a path, with the configuration of docs/web-page.md.

import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOOPBACK_CERTIFICATE, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { noBrowser, openPage, startBrowser } from "./browser.ts";
import { bash, begin, press, said, send, signIn } from "./person.ts";
import { startWeb } from "./web-client.ts";

const nginx = process.env["KEELSON_NGINX"] || ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path));
/** Where it has to be there, the test fails without it. */
const noNginx = nginx === undefined && !process.env["CI"] ? "no nginx is installed" : null;
const behindNginx = testUnless(noNginx, test);
const isResult = (message: any) => message.type === "result";

const [map = "", location = ""] = Array.from(
  readFileSync(join(import.meta.dir, "../../../docs/web-page.md"), "utf8").matchAll(/```nginx\n([^`]*)```/g),
  ([, text]) => text!,
);

interface NginxOptions {
  readonly port: number;
  readonly to: string;
  /** What an administrator has set for everything, or has left out of the location. */
  readonly server?: readonly string[];
  readonly location?: (usual: string) => string;
  readonly tls?: boolean;
}

/** It needs no privileges: one process, in a folder of its own. */
async function startNginx(folder: string, options: NginxOptions) {
  const { port, to, server = [], location: changed = (usual) => usual, tls = false } = options;
  writeFileSync(join(folder, "cert.pem"), LOOPBACK_CERTIFICATE.cert);
  writeFileSync(join(folder, "key.pem"), LOOPBACK_CERTIFICATE.key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const config = [
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/errors; events {}`,
    `http { access_log off; ${temporary.join(" ")}`,
    map,
    `server { listen 127.0.0.1:${port}${tls ? " ssl" : ""};`,
    ...(tls ? [`ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`] : []),
    ...server,
    changed(location).replace("127.0.0.1:4600", to),
    "} }",
  ];
  writeFileSync(join(folder, "nginx.conf"), config.join("\n"));
  const child = Bun.spawn([nginx!, "-p", folder, "-e", join(folder, "errors"), "-c", join(folder, "nginx.conf")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const isUp = () =>
    fetch(`${tls ? "https" : "http"}://127.0.0.1:${port}/`, { tls: { rejectUnauthorized: false } }).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(join(folder, "errors"), "utf8")}`);
    await Bun.sleep(20);
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function freePort(): number {
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return server.port;
}

behindNginx("behind nginx, under a path, a stream goes on after nginx was started anew", async () => {
  using home = temporaryHome();
  const folder = mkdtempSync(join(tmpdir(), "keelson-nginx-"));
  try {
    const held = Promise.withResolvers<void>();
    await using model = await startMockModel([{ text: "One." }, { text: "Meanwhile.", hold: held.promise }]);
    const port = freePort();
    const address = `http://127.0.0.1:${port}/keelson`;
    await using web = await startWeb({ home, url: model.url, args: ["--behind-proxy", address] });
    const said = web.program.lines.map(({ text }) => text).join("\n");
    const to = /a proxy at (127\.0\.0\.1:\d+)/.exec(said)![1]!;
    let cursor: string | undefined;
    let id: string;
    let token: Awaited<ReturnType<typeof web.signIn>>;
    {
      await using _nginx = await startNginx(folder, { port, to });
      const page = await fetch(`${address}/`);
      expect([page.status, page.headers.get("content-security-policy")?.includes("default-src 'none'")]).toEqual([
        200,
        true,
      ]);
      expect((await fetch(address)).url).toBe(`${address}/`);
      const foreign = await fetch(`${address}/v1/sessions`, { headers: { Host: "evil.example" } });
      expect(foreign.status).toBe(421);
      token = await web.signIn();
      id = await token.begin();
      const stream = token.stream(id);
      stream.prompt("First");
      await stream.until(isResult);
      stream.prompt("Second");
      await model.waitForRequest(2);
      cursor = stream.cursor;
      void stream.closed.then(() => held.resolve());
    }
    await held.promise;
    await using _again = await startNginx(folder, { port, to });
    using back = token.stream(id, cursor);
    await back.until(isResult);
    const texts = back.messages.flatMap(({ type, message }) => (type === "assistant" ? [message.content[0].text] : []));
    expect([texts, back.messages.some(({ subtype }) => subtype === "reset")]).toEqual([["Meanwhile."], false]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const SETUPS: Readonly<Record<string, Pick<NginxOptions, "server" | "location" | "tls">>> = {
  "as the documentation has it": {},
  "that ends what is quiet for two seconds": {
    location: (usual) => usual.replace("read_timeout 1h", "read_timeout 2s"),
  },
  "that packs everything": {
    server: ["gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1; gzip_http_version 1.0;"],
  },
  "that buffers, and stores what is large": {
    server: ["proxy_buffering on; proxy_buffers 4 4k; proxy_buffer_size 4k; proxy_busy_buffers_size 8k;"],
  },
  "with TLS": { tls: true },
};

testUnless(noNginx ?? noBrowser, test).each(Object.entries(SETUPS))(
  "the page works behind nginx %s: it streams, asks when it was quiet, and goes on after nginx was started anew",
  async (_, setup) => {
    using home = temporaryHome();
    const folder = mkdtempSync(join(tmpdir(), "keelson-nginx-"));
    try {
      const [asks, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
      await using model = await startMockModel([
        { text: words, deltas: 40, hold: asks.promise, holdAfter: 20 },
        bash("touch made"),
        { text: "Made.", hold: ends.promise },
      ]);
      const port = freePort();
      const address = `${setup.tls ? "https" : "http"}://127.0.0.1:${port}/keelson`;
      await using web = await startWeb({ home, url: model.url, args: ["--behind-proxy", address] });
      const to = /a proxy at (127\.0\.0\.1:\d+)/.exec(web.program.lines.map(({ text }) => text).join("\n"))![1]!;
      await using browser = await startBrowser();
      const { page, problems } = await openPage(browser);
      {
        await using _nginx = await startNginx(folder, { port, to, ...setup });
        await signIn(page, web.link);
        await begin(page);
        await send(page, "Say them");
        // What came is shown before the rest comes.
        await page.getByText("word150").waitFor();
        // Longer than the shortest time that nginx waits.
        await Bun.sleep(setup.location ? 2_500 : 0);
        asks.resolve();
        await said(page, words);
        await page.locator(".working").waitFor({ state: "detached" });
        await send(page, "Make it");
        await page.getByRole("heading", { name: "Allow Bash?" }).waitFor();
        await Bun.sleep(setup.location ? 2_500 : 0);
        await press(page, "Allow");
        await model.waitForRequest(3);
      }
      await page.getByText("Connecting").waitFor();
      ends.resolve();
      await using _again = await startNginx(folder, { port, to, ...setup });
      await said(page, "Made.");
      expect(await page.locator(".answer").allTextContents()).toEqual([words, "Made."]);
      expect(await Bun.file(`${home.project}/made`).exists()).toBe(true);
      expect(problems).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
