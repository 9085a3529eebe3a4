/**
 * `node scripts/front-door/main.mjs [--report FILE]`: does a newcomer's first steps on a bare clone of this
 * folder's commit: `npm start`, sign in, decide, stop, start again. In a bare folder (in CI) it uses the
 * folder itself, and leaves the installation and the build for the tests. Exits 1 at the first fault; FILE
 * gets the counts. `ordinary-user.mjs` tries the attempts that go wrong.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort, startIntray } from "./installation.mjs";
import { atEnd, check, clone, removeData, root, run, runWalk, scratch } from "./steps.mjs";
import { walkOverHttp } from "./walk-over-http.mjs";

/** Folders that a clone lacks. */
const MADE = ["node_modules", ".next", "lib/generated", ".data"];

await runWalk("The front door", async () => {
  const folder = bareClone();
  const environment = { PORT: String(await freePort()), INVOICE_PORT: String(await freePort()) };
  const url = `http://localhost:${environment.PORT}`;

  atEnd(() => removeData(folder));
  let intray = startIntray(folder, environment);
  atEnd(() => intray.killAll());
  await check(
    "another command beside the first start waits for it, and prints its result alone",
    async () => {
      await intray.says(/Installing packages/);
      const help = await run(folder, ["npm", "run", "-s", "intray", "--", "help"], environment);
      assert.match(help.stderr, /^Waiting for process \d+, which prepares this folder …$/m);
      assert.match(help.stdout, /^npm run -s intray -- <command>\n/);
      assert.equal(help.status, 0);
    },
  );
  await check("npm start on a bare clone becomes ready", () => intray.ready(url));
  await check("over HTTP: sign-in, a task, its request, an approval, its end", () => walkOverHttp(url));
  await check("in a browser: sign-in, the first request, an approval, its end", async () => {
    const walk = await run(folder, ["node", "scripts/run.mjs", "scripts/front-door/walk-in-browser.ts", url]);
    process.stdout.write(walk.stdout);
    assert.equal(walk.status, 0, walk.stderr);
  });
  await check("SIGTERM ends it, and nothing is left running", () => intray.stop());

  intray = startIntray(folder, environment);
  await check("the second start installs and builds nothing", async () => {
    await intray.ready(url);
    assert.doesNotMatch(intray.output(), /Installing|Generating|Building/);
    await intray.stop();
  });
});

/** Returns this folder if nothing was made in it yet, else a clone of its commit. */
function bareClone() {
  if (MADE.every((path) => !existsSync(join(root, path)))) return root;
  const folder = join(scratch, "clone");
  clone(folder);
  return folder;
}
