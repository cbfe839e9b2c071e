// A component that is drawn again only when its properties change.

import { Component, type ComponentChildren, type FunctionComponent } from "preact";

export function memo<Props extends object>(draw: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const keys = new Set([...Object.keys(this.props), ...Object.keys(next)]);
      return [...keys].some((key) => Reflect.get(this.props, key) !== Reflect.get(next, key));
    }

    override render(props: Props): ComponentChildren {
      return draw(props);
    }
  }
  return Memo as never;
}
