import { keepCompiled } from "../test/compile-cache.ts";

export default keepCompiled;
