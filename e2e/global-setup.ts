import { keepCompiled } from "../lib/testing/compile-cache.ts";

export default keepCompiled;
