import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDevices } from "./devices.ts";

test("commands get the machine's devices without terminals and disks; approved ones everything but terminals", () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-dev-"));
  const terminals = ["console", "tty1", "tty63", "ttyp0", "ptyp0", "vcs", "vcsa1", "vcsu", "hvc0", "pts", "ptmx"];
  const control = ["ttyS0", "ttyAMA0", "kmsg", "mem", "port", "loop-control", "uinput", "nvme0", "sg0", "rtc0"];
  const ordinary = ["kvm", "fuse", "ttyUSB0", "ttyACM0", "nvidia0", "video0", "hidraw0", "vhost-net", "ppp"];
  for (const name of [...terminals, ...control, ...ordinary, "null", "tty"]) writeFileSync(join(folder, name), "");
  for (const name of ["shm", "dri", "snd", "net", "input", "mapper", "disk"]) mkdirSync(join(folder, name));
  symlinkSync("/run/log", join(folder, "log"));
  const devices = createDevices(folder);
  const names = (approved: boolean) =>
    devices({ approved })
      .filter((word, at, all) => all[at - 2] === "--dev-bind" && word.startsWith(folder))
      .map((path) => path.slice(folder.length + 1));
  const folders = ["shm", "dri", "snd", "net", "input"];
  expect(names(false).toSorted()).toEqual([...ordinary, ...folders].toSorted());
  expect(names(true).toSorted()).toEqual([...ordinary, ...control, ...folders, "mapper", "disk"].toSorted());
  const args = devices({ approved: false });
  expect(args.slice(0, 2)).toEqual(["--dev", folder]);
  expect(args.join(" ")).toContain(`--symlink /run/log ${folder}/log`);
  expect(devices({ approved: false })).toBe(args);
  rmSync(folder, { recursive: true });
});
