import { render } from "preact";
import { RoutinesApp } from "./routines-app.tsx";

render(<RoutinesApp />, document.querySelector("#page")!);
