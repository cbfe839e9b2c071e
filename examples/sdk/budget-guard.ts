// Works through a list of jobs with one shared budget: each job gets what is left, and none starts without money.
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
      // A request that would exceed the budget is not sent. A reply that exceeds it is paid for, but its tool calls do
      // not run.
      maxBudgetUsd: budget - spent,
      // A second limit, for loops that cost little.
      maxTurns: 20,
      permissionMode: "dontAsk",
    },
  });
  try {
    for await (const message of running) {
      if (message.type !== "result") continue;
      // If the model's price is unknown, the program refuses a budget before anything is spent.
      spent += message.total_cost_usd;
      const answer = message.subtype === "success" ? message.result : message.subtype;
      console.log(`${dollars(message.total_cost_usd)}  ${prompt}: ${answer}`);
    }
    return "done";
  } catch (error) {
    // The result was yielded and counted above; a run that ended with an error then throws.
    if (!(error instanceof ResultError)) throw error;
    if (error.subtype === "error_max_budget_usd") return "over budget";
    if (error.subtype === "error_max_turns") return "too long";
    throw error;
  }
}

const jobs = process.argv.slice(2);
for (const [done, prompt] of jobs.entries()) {
  if (spent >= budget) {
    console.log(`${dollars(spent)} of ${dollars(budget)} spent; ${jobs.length - done} jobs not started`);
    process.exitCode = 1;
    break;
  }
  const outcome = await work(prompt);
  if (outcome !== "done") console.log(`  stopped: ${outcome}`);
}
console.log(`Total: ${dollars(spent)}`);
