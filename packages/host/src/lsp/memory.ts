// How much memory a program and its children use.

import { readFile, readdir } from "node:fs/promises";

/** In bytes; undefined if it cannot be known. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  return process.platform === "linux" ? memoryFromProc(pid) : memoryFromPs(pid);
}

/** Far more than servers start; a tree that grows while it is read ends all the same. */
const MOST_PROCESSES = 1_000;

async function memoryFromProc(pid: number): Promise<number | undefined> {
  const tree = [pid];
  let bytes: number | undefined;
  for (let at = 0; at < tree.length && at < MOST_PROCESSES; at++) {
    const process = `/proc/${tree[at]}`;
    try {
      const status = await readFile(`${process}/status`, "latin1");
      bytes = (bytes ?? 0) + Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
      for (const thread of await readdir(`${process}/task`)) {
        const children = await readFile(`${process}/task/${thread}/children`, "latin1");
        tree.push(...children.split(" ").filter(Boolean).map(Number));
      }
    } catch {
      // The process ended meanwhile.
    }
  }
  return bytes;
}

async function memoryFromPs(pid: number): Promise<number | undefined> {
  try {
    const child = Bun.spawn(["/bin/ps", "-axo", "pid=,ppid=,rss="], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    return memoryInTable(await new Response(child.stdout).text(), pid);
  } catch {
    return undefined;
  }
}

/** Sums up the program and its children in lines of `pid parent kilobytes`. */
export function memoryInTable(table: string, pid: number): number | undefined {
  const rows = table.split("\n").flatMap((line) => {
    const [own, parent, kilobytes] = line.trim().split(/\s+/).map(Number);
    return own && parent !== undefined && kilobytes !== undefined ? [{ own, parent, kilobytes }] : [];
  });
  if (!rows.some(({ own }) => own === pid)) return undefined;
  const tree = new Set([pid]);
  for (const known of tree) for (const { own, parent } of rows) if (parent === known) tree.add(own);
  return rows.reduce((sum, { own, kilobytes }) => (tree.has(own) ? sum + kilobytes * 1024 : sum), 0);
}
