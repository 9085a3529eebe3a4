// Whether the process of this container lives, by exit code. An engine has no port: it touches a file as long as its
// event loop turns (lib/engine/main.ts). The web app answers /healthz. Neither looks at the database: a restart of ours
// would not bring that back.
import { existsSync, statSync } from "node:fs";

const STALE_MS = 30_000;
const file = process.env.INTRAY_ALIVE_FILE;

if (file && existsSync(file)) process.exit(Date.now() - statSync(file).mtimeMs < STALE_MS ? 0 : 1);
const reply = await fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/healthz`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => undefined);
process.exit(reply?.ok ? 0 : 1);
