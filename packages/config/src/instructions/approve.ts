// Records whether a project may include instruction files from outside.

import { writeProjectFlag, type FlagWritten, type FolderPlace } from "../write/project-flag.ts";
import { APPROVAL } from "./approval.ts";

export const writeApproval = (place: FolderPlace, approved: boolean): Promise<FlagWritten> =>
  writeProjectFlag(place, APPROVAL, approved);
