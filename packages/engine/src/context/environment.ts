// The part of the system prompt that describes the environment.

export interface EnvironmentFacts {
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly platform: string;
  readonly osVersion: string;
  readonly shell: string;
  /** Empty outside a git repository. */
  readonly gitBranch: string;
  readonly model: string;
}

export function renderEnvironment(facts: EnvironmentFacts): string {
  const lines = [
    `Working directory: ${facts.cwd}`,
    ...(facts.directories.length > 0 ? [`Further working directories: ${facts.directories.join(", ")}`] : []),
    facts.gitBranch === "" ? "Git repository: no" : `Git repository: yes, on branch ${facts.gitBranch}`,
    `Platform: ${facts.platform} (${facts.osVersion})`,
    `Shell: ${facts.shell}`,
    `Model: ${facts.model}`,
  ];
  return ["# Environment", ...lines].join("\n");
}
