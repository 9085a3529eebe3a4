/** `npm start`: Intray as it runs in production, built from this folder. */
import { build } from "./build/build.ts";
import { startPart } from "./supervise/part.ts";
import { supervise } from "./supervise/supervise.ts";

supervise({ web: "scripts/web.ts", prepare: build, startPart });
