// What is shown above a session, and closed again: the dialogs of its menu.

import type { LiveSession } from "../live-session.ts";
import type { SheetName } from "../menu.tsx";
import { Changes } from "./changes.tsx";
import { Delete } from "./delete.tsx";
import { Frame } from "./frame.tsx";
import { Model } from "./model.tsx";
import { Rename } from "./rename.tsx";
import { Rewind } from "./rewind.tsx";

export interface SheetProps {
  readonly session: LiveSession;
  close(): void;
}

const SHEETS = {
  model: ["Model", Model],
  rename: ["Rename", Rename],
  changes: ["Changes", Changes],
  rewind: ["Rewind", Rewind],
  delete: ["Delete", Delete],
} as const;

export function Sheet({ name, ...props }: SheetProps & { readonly name: SheetName }) {
  const [title, Content] = SHEETS[name];
  return (
    <Frame title={title} close={props.close}>
      <Content {...props} />
    </Frame>
  );
}
