/** JSX with a `key` after a spread compiles to `createElement`. This one marks texts as jsx-runtime.ts does. */
import * as react from "react";
import { marked, readable } from "./jsx-runtime.ts";

export const createElement = ((type: string, props: object | null, ...children: react.ReactNode[]) =>
  react.createElement(
    type,
    props && readable(type, props),
    ...(children.map(marked) as react.ReactNode[]),
  )) as typeof react.createElement;
