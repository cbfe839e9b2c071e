// keelson mcp approve and reset-project-choices: what the user decided about the servers of `.mcp.json` files.

import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { contentsToApprove, modifiedLine } from "./words.ts";

export async function approve(call: Invoked): Promise<number> {
  const { words, io } = call;
  const [name, ...others] = words;
  if (name === undefined || others.length > 0) throw new UsageError("usage: keelson mcp approve <name>");
  const { approveServer } = await import("@keelson/config/mcp");
  const snapshot = await snapshotFor(call);
  const { servers, unused } = snapshot.mcp;
  const waiting = unused.filter(({ status }) => status !== "failed");
  const server = [...servers, ...waiting].find((each) => each.name === name && each.scope === "project");
  if (server === undefined) {
    return printError(
      io,
      `no .mcp.json file defines an MCP server "${visible(name)}"; to list them, run: keelson mcp list`,
    );
  }
  const { starts, settings, helper } = contentsToApprove(server);
  const more = [...settings, ...(helper === undefined ? [] : [`headersHelper: ${helper}`])];
  const approved = await approveServer(server, snapshot);
  if (!approved.ok) return printError(io, approved.problem);
  await io.write(
    `Approved MCP server ${visible(name)}: ${visible(starts)}\n` +
      more.map((line) => `  ${visible(line)}\n`).join("") +
      `If its entry in .mcp.json changes, it must be approved again.\n` +
      `${modifiedLine(approved.file, "local", snapshot.cwd)}\n`,
  );
  return 0;
}

export async function resetProjectChoices(call: Invoked): Promise<number> {
  const { words, io } = call;
  if (words.length > 0) throw new UsageError("usage: keelson mcp reset-project-choices");
  const { resetChoices } = await import("@keelson/config/mcp");
  const snapshot = await snapshotFor(call);
  const reset = await resetChoices(snapshot);
  if (!reset.ok) return printError(io, reset.problem);
  await io.write(
    "All approvals and rejections of .mcp.json servers in this folder have been reset\n" +
      `${modifiedLine(reset.file, "local", snapshot.cwd)}\n`,
  );
  return 0;
}
