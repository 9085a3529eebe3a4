/**
 * `node scripts/front-door/ordinary-user.mjs [--report FILE]`: runs `npm start` as an ordinary user whose home is
 * read-only, in a clone of this folder's commit that holds the remains of earlier attempts: outdated packages,
 * an installation and a build that were ended in the middle, a changed lockfile. Root makes a user for it;
 * anybody else is that user. Exits 1 at the first fault; FILE gets the counts.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, startIntray } from "./installation.mjs";
import { atEnd, check, clone, removeData, run, runWalk, scratch } from "./steps.mjs";
import { walkOverHttp } from "./walk-over-http.mjs";

await runWalk("The front door as an ordinary user", async () => {
  const home = join(scratch, "home");
  const folder = join(home, "intray");
  chmodSync(scratch, 0o755);
  mkdirSync(home);
  clone(folder);
  addStalePackage(folder);
  const user = process.getuid() === 0 ? addUser(home, folder) : undefined;
  chmodSync(home, 0o555);
  // A user other than root cannot remove the clone from a read-only folder.
  atEnd(() => chmodSync(home, 0o755));
  atEnd(() => removeData(folder));
  const environment = {
    HOME: home,
    PORT: String(await freePort()),
    INVOICE_PORT: String(await freePort()),
    // The cache that the caller's own npm uses is not the user's.
    npm_config_cache: undefined,
  };
  const url = `http://localhost:${environment.PORT}`;

  let intray = startIntray(folder, environment, user);
  atEnd(() => intray.killAll());
  await check("SIGTERM during the installation ends it, and nothing is left running", async () => {
    await intray.says(/Installing packages/);
    await intray.stop();
  });
  intray = startIntray(folder, environment, user);
  await check("stale packages are replaced, with a read-only home", async () => {
    await intray.says(/The packages are installed/);
    assert.notEqual(versionOf(folder, "zod"), "3.0.0");
  });
  await check("killed in the middle of the build, it builds again", async () => {
    await intray.says(/Building the app/);
    await intray.until("the build is under way", () => existsSync(join(folder, ".next", "server")));
    await intray.killAll();
    assert.ok(!existsSync(join(folder, ".next", "intray-stamp")), "the build was over already");
    intray = startIntray(folder, environment, user);
    await intray.ready(url);
    assert.match(intray.output(), /Building the app/);
    assert.doesNotMatch(intray.output(), /Installing/);
  });
  await check("over HTTP: sign-in, a task, its request, an approval, its end", () => walkOverHttp(url));
  await check("SIGTERM ends it, and nothing is left running", () => intray.stop());
  await check("a changed lockfile is installed", async () => {
    const lock = join(folder, "package-lock.json");
    const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    assert.equal(versionOf(folder, "clsx"), dependencies.clsx);
    const earlier = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "clsx@2.1.0"];
    const changed = await run(folder, ["npm", ...earlier]);
    assert.equal(changed.status, 0, changed.stderr);
    assert.equal(JSON.parse(readFileSync(lock, "utf8")).packages["node_modules/clsx"].version, "2.1.0");
    const help = await run(folder, ["npm", "run", "-s", "intray", "--", "help"], environment, user);
    assert.equal(help.status, 0, help.stderr);
    assert.equal(versionOf(folder, "clsx"), "2.1.0");
  });
});

/** Leaves an outdated package, with npm's record of it. */
function addStalePackage(folder) {
  const stale = join(folder, "node_modules", "zod");
  mkdirSync(stale, { recursive: true });
  writeFileSync(join(stale, "package.json"), JSON.stringify({ name: "zod", version: "3.0.0" }));
  const record = { packages: { "node_modules/zod": { version: "3.0.0" } } };
  writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify(record));
}

/** Makes a system user who owns the clone, but not its home. Returns the user's name. */
function addUser(home, folder) {
  const name = `intray-${process.pid}`;
  execFileSync("useradd", ["--system", "--no-create-home", "--home-dir", home, name]);
  atEnd(() => execFileSync("userdel", [name]));
  execFileSync("chown", ["-R", name, folder]);
  return name;
}

function versionOf(folder, name) {
  return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}
