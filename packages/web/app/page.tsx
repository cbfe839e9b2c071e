import { render } from "preact";
import { App } from "./app.tsx";
import { takeCode } from "./route.ts";

render(<App code={takeCode()} />, document.querySelector("#page")!);
