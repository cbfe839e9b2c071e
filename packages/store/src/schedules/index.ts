// Entry point for scheduled jobs. A session without any does not load it.

export { openDurableJobs, type DurableJob, type DurableJobs, type DurableStore } from "./durable-jobs.ts";
export { ScheduleFileError } from "./held-config.ts";
export { jobOwner, type JobOwner } from "./job-owner.ts";
