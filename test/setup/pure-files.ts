/**
 * Test files that only compute. They share workers and loaded modules, since nothing that they load remembers
 * anything. Each run decides it anew from the text of a file and of all that it imports: a file that begins to
 * use a database, a process or a variable is isolated from then on.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Packages that only compute. */
const COMPUTES = /^(vitest|zod|fast-check|ajv|ajv-formats)(\/|$)/;
/** What leads out of a file's own computing, or imports a file that only a run can tell. */
const LEADS_OUT =
  /\b(process|globalThis|window|document|vi|console|fetch|setTimeout|setInterval|import\.meta)\b|\bimport\((?!\s*["'])/;
/** What a module can remember from one file for another. */
const REMEMBERS =
  /^(export )?((let|var)\b|const [^\n]*= (new (Weak)?(Map|Set)\b[^(\n]*\(\)|\[\]|\{\})|class\b[\s\S]*?^ {2}static\b)/m;
const COMMENT = /\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/gm;
const TYPES_ONLY = /^(import|export) type\b[^"';]*["'][^"']+["']/gm;
const IMPORTED = /\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

/** Returns the files of these patterns that only compute, as paths from the root. */
export function pureFiles(root: string, patterns: string[]): string[] {
  const looked = new Map<string, string[] | null>();
  /** The project's files that a file imports, or null if the file itself does more than compute. */
  const look = (file: string): string[] | null => {
    const text = readFileSync(join(root, file), "utf8").replace(COMMENT, "").replace(TYPES_ONLY, "");
    if (LEADS_OUT.test(text) || REMEMBERS.test(text)) return null;
    const names = [...text.matchAll(IMPORTED)].map(([, name = ""]) => name);
    const own = names.flatMap((name) => {
      if (name.startsWith("@/")) return name.slice(2);
      return name.startsWith(".") ? normalize(join(dirname(file), name)) : [];
    });
    const packages = names.filter((name) => !name.startsWith("@/") && !name.startsWith("."));
    return packages.every((name) => COMPUTES.test(name)) ? own : null;
  };
  const isPure = (file: string): boolean => {
    const reached = new Set([file]);
    // Iterating a set includes files added meanwhile.
    for (const each of reached) {
      if (!looked.has(each)) looked.set(each, look(each));
      const imports = looked.get(each);
      if (!imports) return false;
      for (const other of imports) reached.add(other);
    }
    return true;
  };
  return globSync(patterns, { cwd: root }).filter(isPure).sort();
}
