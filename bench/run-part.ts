/** Runs one part of the bench and sends its figures to the parent process (bench/main.ts). */
import type { Figure } from "./figure.ts";
import { killGroup } from "./kill-group.ts";
import { PARTS } from "./parts.ts";

const name = process.argv[2];
if (!PARTS.some((part) => part.name === name) || !process.send) {
  console.error("Run parts by `npm run bench -- <part>`");
  process.exit(2);
}
// The parent has ended: kills this process's own group, including its Postgres and engines.
process.on("disconnect", () => killGroup(process.pid));
const part: { run(): Promise<Figure[]> } = await import(`./${name}/run.ts`);
process.send(await part.run(), () => process.exit(0));
