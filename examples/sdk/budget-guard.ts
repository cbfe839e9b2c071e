// Works through a list of jobs with one budget for all of them: each gets what is left, and none is begun without.
//   BUDGET_USD=0.50 bun examples/sdk/budget-guard.ts "first job" "second job" "third job"

import process from "node:process";
import { query, ResultError } from "@keelson/sdk";

const dollars = (amount: number) => `$${amount.toFixed(4)}`;
const budget = Number(process.env["BUDGET_USD"] ?? "0.50");
let spent = 0;

type Outcome = "done" | "over budget" | "too long";

async function work(prompt: string): Promise<Outcome> {
  const running = query({
    prompt,
    options: {
      // Checked after every reply: the one that crosses the line is paid for, and what it asked for is not done.
      maxBudgetUsd: budget - spent,
      // A second fence, for loops that cost little.
      maxTurns: 20,
      permissionMode: "dontAsk",
    },
  });
  try {
    for await (const message of running) {
      if (message.type !== "result") continue;
      // Without a price for the model there is no sum; the program refuses a budget then, before anything is spent.
      spent += message.total_cost_usd;
      const answer = message.subtype === "success" ? message.result : message.subtype;
      console.log(`${dollars(message.total_cost_usd)}  ${prompt}: ${answer}`);
    }
    return "done";
  } catch (error) {
    // The result was yielded above, and counted; then a run that ended with an error throws.
    if (!(error instanceof ResultError)) throw error;
    if (error.subtype === "error_max_budget_usd") return "over budget";
    if (error.subtype === "error_max_turns") return "too long";
    throw error;
  }
}

const jobs = process.argv.slice(2);
for (const [done, prompt] of jobs.entries()) {
  if (spent >= budget) {
    console.log(`${dollars(spent)} of ${dollars(budget)} spent; ${jobs.length - done} jobs not begun`);
    process.exitCode = 1;
    break;
  }
  const outcome = await work(prompt);
  if (outcome !== "done") console.log(`  stopped: ${outcome}`);
}
console.log(`Total: ${dollars(spent)}`);
