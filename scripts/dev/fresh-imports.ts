/**
 * Preloaded into the web process (`--import`): an import() after a change loads the changed file again, and the files
 * that import it. Also resolves `@/`, as the build does.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { isOwn, watchImports } from "./watch-imports.ts";

const root = new URL("../../", import.meta.url).href;
/** How often each file has changed, itself or by its imports. */
const versions = new Map<string, number>();
const importers = new Map<string, Set<string>>();

// Processes that Next forks would get it too.
process.execArgv = [];
watchImports((path) => renew(pathToFileURL(path).href));

registerHooks({
  resolve(specifier, context, nextResolve) {
    const parent = context.parentURL?.split("?", 1)[0] ?? "";
    if (!isOwn(parent) || !/^(@|\.\.?)\//.test(specifier)) return nextResolve(specifier, context);
    const url = new URL(specifier.replace(/^@\//, root), parent).href;
    // Also of a file that is not there yet, so that its importer is loaded again once it is.
    importers.set(url, (importers.get(url) ?? new Set()).add(parent));
    return { url: `${url}?v=${versions.get(url) ?? 0}`, shortCircuit: true };
  },
});

function renew(url: string, seen = new Set<string>()): void {
  if (seen.has(url)) return;
  seen.add(url);
  versions.set(url, (versions.get(url) ?? 0) + 1);
  for (const importer of importers.get(url) ?? []) renew(importer, seen);
}
