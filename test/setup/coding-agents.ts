/** Published coding agents, whose hooks the tests run. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { installOwnPackage } from "./own-package.ts";

const SYSTEM = `${process.platform}-${process.arch}`;

/** Where each has its program, below node_modules. */
const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${SYSTEM}/claude`,
  codex: `@openai/codex-${SYSTEM}/vendor/*/bin/codex`,
};

/** The path of a coding agent, installed if it is not there yet. Null, and a word of it, where the registry or this kind of machine has none. */
export function codingAgent(name: keyof typeof PROGRAMS): string | null {
  try {
    const [program] = globSync(join(installOwnPackage("coding-agents", []), "node_modules", PROGRAMS[name]));
    if (program !== undefined) return program;
    process.stderr.write(`The tests of ${name} are left out: there is none for ${SYSTEM}.\n`);
  } catch (error) {
    process.stderr.write(
      `The tests of ${name} are left out: ${error instanceof Error ? error.message : error}\n`,
    );
  }
  return null;
}
