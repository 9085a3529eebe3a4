/** The bill of materials, made by the command itself. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Bill {
  bomFormat: string;
  metadata: { component: { name: string; version: string } };
  components: { name: string; version: string; purl: string; "bom-ref": string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const run = (...args: string[]): Bill =>
  JSON.parse(execFileSync(process.execPath, ["scripts/build/sbom.ts", ...args], { encoding: "utf8" }));

test("it has every package that production installs, in its version, and none of development alone", () => {
  const bill = run();
  const { name, version, dependencies, devDependencies } = read("package.json");
  expect([bill.bomFormat, bill.metadata.component]).toMatchObject(["CycloneDX", { name, version }]);
  const have = new Set(bill.components.map((one) => `${one.name}@${one.version}`));
  for (const [name, version] of Object.entries(dependencies)) expect(have).toContain(`${name}@${version}`);
  // Also what production and development share.
  const locked = Object.entries(
    read("package-lock.json").packages as Record<string, { version: string; dev?: true }>,
  );
  const inProduction = locked.filter(([path, { dev }]) => path !== "" && !dev);
  for (const [path, { version }] of inProduction)
    expect(have).toContain(`${path.split("node_modules/").at(-1)}@${version}`);
  for (const name of ["vitest", "@biomejs/biome", "samlify"]) {
    expect(devDependencies).toHaveProperty([name]);
    expect([...have].filter((one) => one.startsWith(`${name}@`))).toEqual([]);
  }
  const refs = new Set(bill.components.map((one) => one["bom-ref"]));
  for (const { dependsOn } of bill.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  expect(bill.components.every(({ purl }) => purl.startsWith("pkg:npm/"))).toBe(true);
});

test("of a folder it has what is there: the image holds less than an installation", () => {
  const folder = mkdtempSync(join(tmpdir(), "intray-sbom-"));
  for (const name of ["zod", "pg"]) {
    mkdirSync(join(folder, "node_modules", name), { recursive: true });
    writeFileSync(join(folder, "node_modules", name, "package.json"), "{}");
  }
  expect(
    run(folder)
      .components.map(({ name }) => name)
      .sort(),
  ).toEqual(["pg", "zod"]);
  rmSync(folder, { recursive: true });
});

test("the image is built with it", () => {
  expect(readFileSync("Dockerfile", "utf8")).toContain(
    "node scripts/build/sbom.ts /image > /image/sbom.cdx.json",
  );
});
