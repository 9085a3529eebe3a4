/** Programs whose hooks ask Intray before a call. */

/** Their names, by their address: `/hooks/claude-code`. */
export const HOOK_PROGRAMS = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  copilot: "Copilot CLI",
  opencode: "opencode",
} as const;
export type HookProgram = keyof typeof HOOK_PROGRAMS;

/** The last member of an answer to a set-up's command. The command blocks the call where an answer does not end with it. */
export const FROM_INTRAY = { from: "Intray" };
