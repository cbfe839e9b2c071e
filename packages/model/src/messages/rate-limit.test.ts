import { expect, test } from "bun:test";
import { rateLimitInfo } from "./rate-limit.ts";

const unified = (fields: Record<string, string>) =>
  rateLimitInfo(
    new Headers(Object.entries(fields).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value])),
  );

test("a reply without limits says nothing about them", () => {
  expect(rateLimitInfo(new Headers({ "request-id": "r" }))).toBeUndefined();
});

test("a limit that is near has its share and the threshold it passed", () => {
  const told = unified({
    status: "allowed_warning",
    reset: "1894725583",
    "representative-claim": "five_hour",
    "5h-utilization": "0.92",
    "5h-surpassed-threshold": "0.9",
    "overage-status": "rejected",
    "overage-disabled-reason": "org_level_disabled",
  });
  expect(told).toEqual({
    status: "allowed_warning",
    resetsAt: 1894725583,
    rateLimitType: "five_hour",
    utilization: 0.92,
    surpassedThreshold: 0.9,
    overageStatus: "rejected",
    overageDisabledReason: "org_level_disabled",
    isUsingOverage: false,
  });
});

test("a limit that is reached may be passed for money", () => {
  expect(unified({ status: "rejected", reset: "soon", "overage-status": "allowed", "5h-utilization": "1" })).toEqual({
    status: "rejected",
    overageStatus: "allowed",
    isUsingOverage: true,
  });
});
