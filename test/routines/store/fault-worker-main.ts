// A worker of the fault test: claims runs, starts a child for each that prints numbered lines, keeps those, ends the run, and sends
// what is to be sent. It may be killed or stopped at any moment. Arguments: the store as JSON, the receiver's address.

import {
  openHttpStore,
  openPostgresStore,
  openSqliteStore,
  type ClaimedRun,
  type WorkerStore,
} from "@keelson/routines";

export type StoreAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string }
  | { readonly kind: "http"; readonly url: string; readonly token: string };

/** In a run. */
export const LINES = 5;
export const LEASE_MS = 1_500;

const SLOTS = 2;
/** One number after another, and a little time for faults between them. */
const CHILD = `n=$1; while [ "$n" -le ${LINES} ]; do echo "$n"; sleep 0.03; n=$((n + 1)); done`;

async function open(address: StoreAddress): Promise<WorkerStore> {
  switch (address.kind) {
    case "sqlite":
      return openSqliteStore({ file: address.file });
    case "postgres":
      return openPostgresStore({ url: address.url, connections: 3 });
    case "http":
      return openHttpStore(address);
  }
}

async function work(store: WorkerStore, receiver: string): Promise<void> {
  const worker = `worker-${process.pid}`;
  for (;;) {
    const claimed = await store.claim({ worker, leaseMs: LEASE_MS });
    if (claimed.run !== undefined) await runOne(store, claimed);
    else if (!(await sendOne(store, receiver)))
      await store.wake({ waitMs: claimed.nextDueInMs ?? 200, mark: claimed.mark }, new AbortController().signal);
  }
}

async function runOne(store: WorkerStore, { run, claim, entries }: ClaimedRun): Promise<void> {
  const held = { runId: run.id, claim };
  const child = Bun.spawn(["/bin/sh", "-c", CHILD, "child", String(entries + 1)], { stdout: "pipe" });
  let isLost = false;
  const lost = (what: string) => {
    isLost = true;
    child.kill("SIGKILL");
    process.stdout.write(`refused ${what}\n`);
  };
  const beating = setInterval(async () => {
    const beaten = await store.beat(held, { leaseMs: LEASE_MS });
    if (!beaten.held && !isLost) lost("beat");
  }, LEASE_MS / 3);
  let seq = entries;
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    const lines = decoder.decode(chunk).split("\n").filter(Boolean);
    const appended = await store.append(
      held,
      lines.map((line) => ({ seq: ++seq, kind: "message", line: JSON.stringify({ line }) })),
    );
    if (!appended.held) lost("append");
  }
  await child.exited;
  // A worker that was stopped finds out here at the latest: this write is tried whatever it has heard before.
  const effects = [{ key: "deliver", kind: "deliver", body: { run: run.id } }];
  const result = `by ${process.pid} in attempt ${run.attempt}`;
  const finished = await store.finish(held, { state: "succeeded", result, effects, turns: seq });
  clearInterval(beating);
  if (!finished.held) lost("finish");
}

/** False: there was nothing to send. */
async function sendOne(store: WorkerStore, receiver: string): Promise<boolean> {
  const effect = await store.claimEffect({ kinds: ["deliver", "ended"], leaseMs: LEASE_MS });
  if (effect === undefined) return false;
  await fetch(receiver, { method: "POST", headers: { "Idempotency-Key": `${effect.runId}/${effect.key}` } });
  if (!(await store.settleEffect(effect, { state: "done" }))) process.stdout.write("refused settle\n");
  return true;
}

if (import.meta.main) {
  const [address, receiver] = process.argv.slice(2);
  const store = await open(JSON.parse(address!) as StoreAddress);
  process.stdout.write("ready\n");
  await Promise.all(Array.from({ length: SLOTS }, () => work(store, receiver!)));
}
