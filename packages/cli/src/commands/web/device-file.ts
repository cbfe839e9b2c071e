// The devices of the page, in a sealed file: what a command writes there has no valid seal and is ignored.

import { dirname, join } from "node:path";
import { statSync } from "node:fs";
import { isObject, tryParse } from "@keelson/protocol";
import { withOwnFileLock } from "@keelson/disk/lock";
import { holdOwnFolder, readOwnFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { replaceOwnFile } from "@keelson/disk/replace-file";
import { openSeal } from "@keelson/disk/seal";
import type { WebHost } from "@keelson/web";

const MAX_BYTES = 256 * 1024;
const PURPOSE = "web-devices";

export function deviceFile(configDir: string, warn: (text: string) => void): WebHost["devices"] {
  const path = join(realPathOf(configDir), "keelson-web", "devices.json");
  const seal = openSeal(configDir, (error) => warn(`Devices cannot stay signed in: ${error.message}`));
  let warned: string | undefined;
  const warnOnce = (text: string) => {
    if (text !== warned) warn(text);
    warned = text;
  };
  const read = (): string | undefined => {
    try {
      const bytes = readOwnFile(path, MAX_BYTES);
      if (bytes === undefined) return undefined;
      const stored: unknown = tryParse(bytes.toString("utf8"));
      const text = isObject(stored) ? stored["devices"] : undefined;
      if (typeof text === "string" && isObject(stored) && seal.isSealed(PURPOSE, text, stored["seal"])) return text;
      warnOnce(`${path} is not as Keelson wrote it, so all devices are signed out; sign them in again`);
    } catch (error) {
      warnOnce(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  };
  return {
    stamp() {
      try {
        const stat = statSync(path, { throwIfNoEntry: false });
        return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
      } catch (error) {
        // Reading it says what is wrong.
        return String((error as NodeJS.ErrnoException).code);
      }
    },
    read,
    async update(change) {
      try {
        holdOwnFolder(dirname(path), { create: 0o700 })[Symbol.dispose]();
        await withOwnFileLock(`${path}.lock`, () => {
          const devices = change(read());
          const text = JSON.stringify({ devices, seal: seal.sealText(PURPOSE, devices) });
          replaceOwnFile(path, `${text}\n`);
        });
      } catch (error) {
        const { whyNotWritten } = await import("@keelson/config");
        throw new Error(`${path} cannot be written ${await whyNotWritten(error)}`, { cause: error });
      }
    },
  };
}
