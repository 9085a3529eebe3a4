/**
 * A call that a coding agent wants to make with its own tools, and asks about through a hook: what is kept of it, and how a card
 * shows it. Texts of the program are untrusted. Pure.
 */

import { namedInQuotes } from "../../text/foreign/quoted.ts";
import type { Hidden } from "../../text/foreign/secrets.ts";
import { isRecord } from "../../text/json.ts";
import { shorten } from "../../text/labels.ts";
import { haveWindowsEnds, withPlainEnds } from "../../text/line-ends.ts";
import { MASK } from "../../text/mask.ts";

/** Stands among the arguments of the task as `call`. Nothing but a hook writes it: arguments of agents and of the API have no such member. */
export interface ProgramCall {
  /** In Intray's words: `Claude Code`. */
  program: string;
  /** As the program calls it: `Bash`, or `mcp__github__create_issue`. */
  tool: string;
  /** Without secrets. */
  input: Record<string, unknown>;
  /** Secrets in the input are masked: rules and the policy can't judge this input again. */
  isMasked: boolean;
  /** What is masked; missing where nothing is, and in calls of earlier versions. */
  hidden?: Hidden[];
  /** Whether people may change the input before they approve it. Not of calls of earlier versions. */
  editable?: boolean;
  /** The working directory. */
  cwd: string | null;
  /** The beginning of the session's id. */
  session: string | null;
  /** The helper within the program that makes the call (a subagent); null: the program itself. */
  by: string | null;
  /** The rule that wants a person, in Intray's words; null: no rule is about the call. */
  why: string | null;
}

/** How many places are masked: of a call of an earlier version, as many as have a mask. */
export function hiddenIn({ hidden, input }: Pick<ProgramCall, "hidden" | "input">): number {
  return hidden?.length ?? Math.max(1, JSON.stringify(input).split(MASK).length - 1);
}

/** How a call is shown. `rest`: what else it was called with, so that nothing of it is left out. */
export type ShownCall =
  | { kind: "command"; command: string; rest: Record<string, unknown> }
  | { kind: "patch"; patch: string; rest: Record<string, unknown> }
  | {
      kind: "edit";
      path: string;
      changes: Change[];
      /** Every line of the changes ends with CRLF, which is said once: `changes` have LF. */
      hasWindowsEnds: boolean;
      rest: Record<string, unknown>;
    }
  | { kind: "arguments"; rest: Record<string, unknown> };

/** `before`: null where the whole file is written, whatever it contained. */
export interface Change {
  before: string | null;
  after: string;
}

/** Shows a shell command as a command, and a change of a file as a difference, by the names and shapes of the program's own tools. */
export function shownCall({ tool, input }: Pick<ProgramCall, "tool" | "input">): ShownCall {
  return (
    asCommand(tool, input) ??
    asPatch(tool, input) ??
    asEdit(tool, input) ?? { kind: "arguments", rest: input }
  );
}

const SHELLS = new Set([
  ...["Bash", "PowerShell", "shell", "exec_command", "run_shell_command", "bash", "powershell"],
]);

function asCommand(tool: string, input: Record<string, unknown>): ShownCall | null {
  const { command, ...rest } = input;
  return SHELLS.has(tool) && typeof command === "string" ? { kind: "command", command, rest } : null;
}

/** Codex changes files by patches, which are differences already. */
function asPatch(tool: string, input: Record<string, unknown>): ShownCall | null {
  const { command: patch, ...rest } = input;
  return tool === "apply_patch" && typeof patch === "string" ? { kind: "patch", patch, rest } : null;
}

/** Tools that change one file, as Claude Code, Gemini CLI, Copilot CLI and opencode name them and their arguments. */
const EDITS: { tool: string; path: string; before?: string; after: string }[] = [
  { tool: "Write", path: "file_path", after: "content" },
  { tool: "Edit", path: "file_path", before: "old_string", after: "new_string" },
  { tool: "write_file", path: "file_path", after: "content" },
  { tool: "replace", path: "file_path", before: "old_string", after: "new_string" },
  { tool: "create", path: "path", after: "file_text" },
  { tool: "edit", path: "path", before: "old_str", after: "new_str" },
  { tool: "write", path: "filePath", after: "content" },
  { tool: "edit", path: "filePath", before: "oldString", after: "newString" },
];

function asEdit(tool: string, input: Record<string, unknown>): ShownCall | null {
  for (const names of EDITS.filter((each) => each.tool === tool)) {
    const { [names.path]: path, [names.after]: after, ...others } = input;
    if (typeof path !== "string" || typeof after !== "string") continue;
    if (names.before === undefined) return edit(path, [{ before: null, after }], others);
    const { [names.before]: before, ...rest } = others;
    if (typeof before === "string") return edit(path, [{ before, after }], rest);
  }
  return asEdits(tool, input);
}

function asEdits(
  tool: string,
  { file_path: path, edits, ...rest }: Record<string, unknown>,
): ShownCall | null {
  if (tool !== "MultiEdit" || typeof path !== "string" || !Array.isArray(edits)) return null;
  if (edits.length > MOST_CHANGES) return null;
  const changes = (edits as unknown[]).map(changeIn);
  return changes.includes(null) ? null : edit(path, changes as Change[], rest);
}

function edit(path: string, changes: Change[], rest: Record<string, unknown>): ShownCall {
  const hasWindowsEnds = haveWindowsEnds(changes.flatMap(({ before, after }) => [before ?? "", after]));
  const shown = changes.map(({ before, after }) => ({
    before: before === null ? null : withPlainEnds(before),
    after: withPlainEnds(after),
  }));
  return { kind: "edit", path, changes: hasWindowsEnds ? shown : changes, hasWindowsEnds, rest };
}

/** More are shown as arguments, which are folded, and have to be opened before they are approved. */
const MOST_CHANGES = 20;

/** Null where it says more than the two texts: then all of it is shown as arguments. */
function changeIn(edit: unknown): Change | null {
  if (!isRecord(edit)) return null;
  const { old_string: before, new_string: after, ...more } = edit;
  if (typeof before !== "string" || typeof after !== "string" || Object.keys(more).length > 0) return null;
  return { before, after };
}

/** The question of the card, in Intray's words. */
export function questionAbout(call: Pick<ProgramCall, "program" | "tool" | "input">): string {
  const { kind } = shownCall(call);
  if (kind === "command") return `May ${call.program} run this command?`;
  if (kind === "patch") return `May ${call.program} apply this patch?`;
  if (kind === "edit") return `May ${call.program} change this file?`;
  return `May ${call.program} use the tool ${namedInQuotes(shorten(call.tool, 100))}?`;
}

const LABEL_CHARACTERS = 120;

/** For lists: the command, the file, or the tool. */
export function labelFor(call: Pick<ProgramCall, "tool" | "input">): string {
  const shown = shownCall(call);
  const text = shown.kind === "command" ? shown.command : shown.kind === "edit" ? shown.path : call.tool;
  return (
    shorten(
      text
        .slice(0, 2 * LABEL_CHARACTERS)
        .replace(/\s+/g, " ")
        .trim(),
      LABEL_CHARACTERS,
    ) || call.tool
  );
}
