import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChainEntry } from "@keelson/protocol";
import { boundary, prompt, says, summary } from "../samples.test-support.ts";
import { openHistory } from "./history.ts";
import { PagedHistory } from "./paged-history.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-paged-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const newPath = () => join(dir, `${crypto.randomUUID()}.jsonl`);
const line = (entry: object) => `${JSON.stringify(entry)}\n`;

let pauses = 0;
/** Shows ids, and of every third entry nothing. */
const paged = (path: string, isHidden = (uuid: string) => Number(uuid.slice(1)) % 3 === 2) =>
  new PagedHistory<string>({
    path,
    show: ({ uuid }) => (isHidden(uuid) ? undefined : uuid),
    pause: async () => void pauses++,
  });

async function pages(history: PagedHistory<string>, limit: number, until: number): Promise<readonly string[][]> {
  const all: string[][] = [];
  for (let before: string | undefined; ;) {
    const page = await history.page({ limit, until, ...(before === undefined ? {} : { before }) });
    if (page === undefined) throw new Error(`Nothing is shown with the id "${before}"`);
    all.unshift(await Array.fromAsync(page.shown));
    if (page.before === null) return all;
    expect(page.before).toBe(all[0]![0]!);
    before = page.before;
  }
}

type Step =
  { readonly kind: "say" | "compact" | "damage" | "title" } | { readonly kind: "rewind"; readonly to: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: "say" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("compact", "damage", "title") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewind" as const), to: fc.nat(50) }) },
);

/** The lines of a conversation in which this happened. */
function conversation(list: readonly Step[]): readonly string[] {
  const said: string[] = [];
  let leaf: string | null = null;
  let count = 0;
  const add = (entry: ChainEntry) => {
    said.push(entry.uuid);
    leaf = entry.uuid;
    return line(entry);
  };
  return list.flatMap((step): string[] => {
    const id = `u${count++}`;
    switch (step.kind) {
      case "say":
        return [add(count % 2 === 0 ? says(id, leaf ?? "") : prompt(id, leaf))];
      case "compact": {
        const compacted = { ...boundary(id), logicalParentUuid: leaf } as ChainEntry;
        return [add(compacted), add(summary(`u${count++}`, id))];
      }
      case "damage":
        return [`{"type":"user","uuid":"${id}","parentU\n`];
      case "title":
        return [line({ type: "custom-title", customTitle: id })];
      case "rewind":
        leaf = said[step.to % Math.max(1, said.length)] ?? null;
        return [line({ type: "keelson-rewind", leafUuid: leaf })];
    }
  });
}

test("pages, whatever their size, are the conversation as it was when the file had so many bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.nat(60), { maxLength: 4 }),
      async (list, limit, cuts) => {
        const lines = conversation(list);
        const path = newPath();
        writeFileSync(path, "");
        const history = paged(path);
        let written = 0;
        for (const cut of [...cuts, lines.length].toSorted((a, b) => a - b)) {
          appendFileSync(path, lines.slice(written, cut).join(""));
          written = Math.max(written, cut);
        }
        for (const cut of [...cuts, lines.length]) {
          const part = lines.slice(0, cut).join("");
          const copy = newPath();
          writeFileSync(copy, part);
          const shown = [...openHistory(copy).entries()].map(({ uuid }) => uuid);
          const expected = shown.filter((uuid) => Number(uuid.slice(1)) % 3 !== 2);
          const got = await pages(history, limit, Buffer.byteLength(part));
          expect(got.flat()).toEqual(expected);
          for (const page of got.slice(1)) expect(page).toHaveLength(limit);
          expect(await Array.fromAsync(history.all(Buffer.byteLength(part)))).toEqual(expected);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("an id that nothing has, or that was left, gives no page; one that is not shown is a place all the same", async () => {
  const path = newPath();
  const lines = conversation([
    ...Array.from({ length: 6 }, () => ({ kind: "say" as const })),
    { kind: "rewind", to: 2 },
  ]);
  writeFileSync(path, lines.join(""));
  const history = paged(path, () => false);
  const until = statSync(path).size;
  const before = async (id: string) => {
    const page = await history.page({ before: id, limit: 10, until });
    return page && (await Array.fromAsync(page.shown));
  };
  expect([await before("u9"), await before("u5"), await before("u1")]).toEqual([undefined, undefined, ["u0"]]);
});

test("a prompt that joined a run is known by the id that its sender gave it", async () => {
  const path = newPath();
  const joined = {
    ...prompt("u1", "u0"),
    type: "attachment",
    attachment: { type: "queued_command", prompt: "and this", source_uuid: "sent" },
  };
  writeFileSync(path, [prompt("u0", null), joined, says("u2", "u1")].map(line).join(""));
  const history = paged(path, () => false);
  const until = statSync(path).size;
  expect(await history.page({ limit: 2, until })).toMatchObject({ before: "sent" });
  const older = await history.page({ before: "sent", limit: 2, until });
  expect(await Array.fromAsync(older!.shown)).toEqual(["u0"]);
});

test("a page has no more bytes than it may, but at least one entry", async () => {
  const path = newPath();
  const large = (uuid: string, parent: string | null) => ({ ...prompt(uuid, parent), padding: "x".repeat(1_000) });
  writeFileSync(path, [large("u0", null), large("u1", "u0"), large("u2", "u1")].map(line).join(""));
  const history = paged(path, () => false);
  const until = statSync(path).size;
  const page = async (maxBytes: number) => Array.fromAsync((await history.page({ limit: 9, maxBytes, until }))!.shown);
  expect([await page(10), await page(3_000), await page(9_000)]).toEqual([["u2"], ["u1", "u2"], ["u0", "u1", "u2"]]);
});

test("reading a long transcript lets others work, and a file that is gone is an error until it is back", async () => {
  const path = newPath();
  const lines = conversation(Array.from({ length: 20_000 }, () => ({ kind: "say" as const })));
  writeFileSync(path, lines.join(""));
  const until = statSync(path).size;
  const history = paged(path);
  pauses = 0;
  await history.page({ limit: 5, until });
  expect(pauses).toBeGreaterThan(3);

  const text = readFileSync(path);
  const again = paged(path);
  rmSync(path);
  expect(again.page({ limit: 5, until })).rejects.toThrow("ENOENT");
  writeFileSync(path, text);
  expect(await Array.fromAsync((await again.page({ limit: 2, until }))!.shown)).toHaveLength(2);
  truncateSync(path, 0);
  expect(await Array.fromAsync((await again.page({ limit: 2, until }))!.shown)).toEqual([]);
});
