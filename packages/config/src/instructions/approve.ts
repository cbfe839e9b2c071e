// Writes down that a project may, or may no longer, bring in instruction files from elsewhere.

import { writeProjectFlag, type FlagWritten, type FolderPlace } from "../write/project-flag.ts";
import { APPROVAL } from "./approval.ts";

export const writeApproval = (place: FolderPlace, approved: boolean): Promise<FlagWritten> =>
  writeProjectFlag(place, APPROVAL, approved);
