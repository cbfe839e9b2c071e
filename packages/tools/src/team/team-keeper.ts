// A session's team as its tools see it.

export interface TeamCreateInput {
  readonly team_name: string;
  readonly description?: string;
  readonly agent_type?: string;
}

export interface TeamCreateOutput {
  readonly team_name: string;
  readonly team_file_path: string;
  readonly lead_agent_id: string;
}

export interface TeamDeleteOutput {
  readonly success: boolean;
  readonly message: string;
  readonly team_name?: string;
}

export interface TeamKeeper {
  /** Throws ToolError if the session already has a team. */
  create(input: TeamCreateInput): Promise<TeamCreateOutput>;
  /** Ends all members first; fails while some still work. */
  delete(): Promise<TeamDeleteOutput>;
}
