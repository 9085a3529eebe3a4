import { bootstrap } from "../bootstrap.mjs";

await bootstrap("scripts/dev/dev.ts", { channel: true });
