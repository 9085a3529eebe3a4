/** Published coding agents, whose hooks the tests run. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { installOwnPackage, orLeftOut } from "./own-package.ts";

const SYSTEM = `${process.platform}-${process.arch}`;

/** Where each has its program, below node_modules. */
const PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${SYSTEM}/claude`,
  codex: `@openai/codex-${SYSTEM}/vendor/*/bin/codex`,
  gemini: "@google/gemini-cli/bundle/gemini.js",
  copilot: `@github/copilot-${SYSTEM}/copilot`,
  opencode: `opencode-${SYSTEM}/bin/opencode`,
};

/** Returns the path of a coding agent, installed if it is not there yet. Returns null, and says why, where there is none. */
export const codingAgent = (name: keyof typeof PROGRAMS): string | null =>
  orLeftOut(name, () => {
    const [program] = globSync(join(installOwnPackage("coding-agents", []), "node_modules", PROGRAMS[name]));
    if (program === undefined) throw new Error(`there is none for ${SYSTEM}.`);
    return program;
  });
