// The session bus as commands get it: the keyring and notifications, and nothing that starts programs or changes settings.
// Stands between a client and the real bus, passes on what is allowed, and answers the rest itself.

import type { Socket } from "node:net";
import { createSplitter, errorReply, type CallHeader } from "./bus-messages.ts";

/** Neither these services nor these questions to the bus itself start a program of the caller's choice. */
const SERVICES = /^org\.(?:freedesktop\.(?:secrets|Notifications)|gnome\.keyring|kde\.kwalletd\d*)$/;
const QUESTIONS =
  /^(?:Hello|AddMatch|RemoveMatch|GetNameOwner|NameHasOwner|ListNames|ListActivatableNames|GetId|GetMachineId|Ping)$/;

const METHOD_CALL = 1;

/** Opens a socket at `path` that leads to the bus. It does not keep the process running. */
export async function openBusFilter(path: string, bus: string): Promise<{ close(): void }> {
  // 2 ms, and only where there is a session bus.
  const { connect, createServer } = await import("node:net");
  const server = createServer((client) => connectThrough(client, connect(bus)));
  await new Promise<void>((done, fail) => void server.on("error", fail).listen(path, done));
  server.unref();
  return { close: () => void server.close() };
}

function connectThrough(client: Socket, real: Socket): void {
  const end = () => {
    client.destroy();
    real.destroy();
  };
  for (const each of [client, real]) each.unref().on("error", end).on("close", end);
  const [fromClient, fromBus] = [createSplitter({ begins: /^BEGIN\r\n$/ }), createSplitter({})];
  client.on("data", (bytes: Buffer) => {
    for (const part of fromClient(bytes) ?? [null]) {
      if (part === null) return end();
      if (part.header === undefined) real.write(withoutDescriptors(part.bytes));
      else if (isAllowed(part.header)) real.write(part.bytes);
      else if (part.header.type === METHOD_CALL) client.write(errorReply(part.header, REFUSED));
    }
  });
  // Whole messages only, so that a refusal never comes in the middle of one.
  real.on("data", (bytes: Buffer) => {
    for (const { bytes: whole } of fromBus(bytes) ?? (end(), [])) client.write(whole);
  });
}

const REFUSED = "Commands reach only the keyring and notifications on this bus. Other services act outside the shield.";

/** Whoever claims a name, sends a signal or answers a call could be taken for a program of the user's. */
export function isAllowed({ type, destination = "", member = "" }: CallHeader): boolean {
  if (type !== METHOD_CALL) return false;
  return destination === "org.freedesktop.DBus" ? QUESTIONS.test(member) : SERVICES.test(destination);
}

/** Descriptors cannot be passed on. To an unknown word the bus answers no. */
const withoutDescriptors = (line: Buffer) => (line.includes("NEGOTIATE_UNIX_FD") ? Buffer.from("NONE\r\n") : line);
