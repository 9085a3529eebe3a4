/** The same as jsx-runtime.ts, for development and tests. */
import * as react from "react/jsx-dev-runtime";
import { readable } from "./jsx-runtime.ts";

export { Fragment, type JSX } from "react/jsx-dev-runtime";

export const jsxDEV: typeof react.jsxDEV = (type, props, ...more) =>
  react.jsxDEV(type, readable(type, props as object), ...more);
