/** The programs whose hooks are answered, by their addresses: `/hooks/<key>`. */
import type { HookProgram } from "../../agents/hook-programs.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import type { Program } from "./program.ts";

export const PROGRAMS: Record<HookProgram, Program> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  copilot,
  opencode,
};
