import { bootstrap } from "./bootstrap.mjs";

await bootstrap("scripts/supervise.ts", { channel: true });
