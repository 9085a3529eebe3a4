import { bootstrap } from "./bootstrap.mjs";

bootstrap("scripts/supervise.ts");
