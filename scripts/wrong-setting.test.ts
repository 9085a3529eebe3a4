import { spawn } from "node:child_process";
import { expect, test } from "vitest";

test.each(["scripts/web.ts", "lib/engine/main.ts", "scripts/supervise.ts", "scripts/cli.ts"])(
  "%s ends at a wrong setting with one sentence",
  async (script) => {
    const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
    const child = spawn(process.execPath, [script, "servers", "sync"], {
      env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV: "production", INTRAY_KEYS: "bm8ga2lkIGhlcmU=" },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, output]).toEqual([
      1,
      "INTRAY_KEYS is not usable: must be kid:base64 entries of 32 bytes each.\n",
    ]);
  },
);
