/**
 * Prints the software bill of materials (CycloneDX) of the production packages: `npm run -s sbom`. With a folder, as for
 * the image: of those that are there. Made by npm from the lockfile, without the network.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const bomSchema = z.looseObject({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.looseObject({ component: z.looseObject({ name: z.string(), "bom-ref": z.string() }) }),
  components: z.array(z.looseObject({ name: z.string(), version: z.string(), "bom-ref": z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const lockSchema = z.object({
  name: z.string(),
  packages: z.record(
    z.string(),
    z.object({ name: z.string().optional(), version: z.string().optional(), dev: z.boolean().optional() }),
  ),
});

/** Returns the bill; `folder` holds the `node_modules` to which it is limited. */
function billOf(folder: string | undefined) {
  const lock = lockSchema.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
  const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
  // npm's own `--omit dev` leaves out also what production shares with development.
  const said = execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const bill = bomSchema.parse(JSON.parse(said));
  const kept = new Set(
    Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== "" && !dev && isIn(folder, path))
      .map(([path, one]) => `${one.name ?? path.split("node_modules/").at(-1)}@${one.version}`),
  );
  const components = bill.components.filter(({ name, version }) => kept.has(`${name}@${version}`));
  const root = bill.metadata.component["bom-ref"];
  const refs = new Set([root, ...components.map((one) => one["bom-ref"])]);
  return {
    ...bill,
    // npm names the folder.
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: lock.name } },
    components,
    dependencies: bill.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) })),
  };
}

function isIn(folder: string | undefined, path: string): boolean {
  return folder === undefined || existsSync(join(folder, path, "package.json"));
}

process.stdout.write(`${JSON.stringify(billOf(process.argv[2]), null, 2)}\n`);
