/** Preloaded into parts (`--import`): a part drains when one of its files changes, and is started again. */
import { relative } from "node:path";
import { watchImports } from "./watch-imports.ts";

let ending = false;

watchImports((path) => {
  if (ending) return;
  ending = true;
  process.stdout.write(`${relative(".", path)} has changed\n`);
  // As if the supervisor had said so. A part that does not listen yet has nothing to finish.
  if (!process.emit("message", { type: "drain" }, undefined)) process.exit(0);
});
