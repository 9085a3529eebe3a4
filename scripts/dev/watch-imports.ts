import { watch } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url).href;

/** Whether an address is a source file of this project. */
export const isOwn = (url: string) =>
  url.startsWith(root) && !/^(node_modules|\.next)\//.test(url.slice(root.length));

/** Calls `changed` for each own file that this process imports, and that changes afterwards. */
export function watchImports(changed: (path: string) => void): void {
  const files = new Set<string>();
  const folders = new Set<string>();
  registerHooks({
    load(url, context, nextLoad) {
      if (isOwn(url)) {
        const path = fileURLToPath(url);
        files.add(path);
        watchFolder(dirname(path));
      }
      return nextLoad(url, context);
    },
  });

  /** Folders, since many editors replace a file, which ends the watch of the file itself. */
  function watchFolder(folder: string): void {
    if (folders.has(folder)) return;
    folders.add(folder);
    watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null && files.has(join(folder, name))) changed(join(folder, name));
    });
  }
}
