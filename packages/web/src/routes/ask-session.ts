// One control request to a session, as a client of it that comes and goes. It lets go of the session.

import { ControlChannel, RequestError } from "@keelson/client";
import type { ControlSubtype, FieldsOf, ReplyTo } from "@keelson/protocol";
import type { SignedDevice } from "../devices/devices.ts";
import { HttpRefusal } from "../door/refusal.ts";
import type { OpenedForWeb } from "../host.ts";

export async function askSession<Subtype extends ControlSubtype>(
  opened: OpenedForWeb,
  device: SignedDevice,
  subtype: Subtype,
  fields?: FieldsOf<Subtype>,
): Promise<ReplyTo<Subtype>> {
  const client = opened.session.attach({
    name: device.name,
    role: device.role !== "viewer" ? "driver" : "watcher",
    whenSlow: "drop",
    answers: { permissions: false, requests: false },
  });
  const channel = new ControlChannel({
    send: (message) => client.send(message),
    newId: () => crypto.randomUUID(),
    asked: (question) => question.leave(),
  });
  const read = async () => {
    for await (const message of client.messages) channel.take(message);
    channel.end();
  };
  const reading = read();
  try {
    return await channel.request(subtype, fields);
  } catch (error) {
    if (error instanceof RequestError) throw new HttpRefusal("conflict", error.message);
    throw error;
  } finally {
    client.detach();
    await reading.catch(() => undefined);
    opened.release();
  }
}
