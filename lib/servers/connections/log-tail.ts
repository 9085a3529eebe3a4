/**
 * Keeps part of the stderr of a command server's children: each child's last lines, and earlier warnings.
 * Each child has its own share, so a restarted child does not push out its predecessor's last lines.
 */

/** Characters kept of a child's last lines. */
const LAST_CHARACTERS = 8_000;
/** Characters kept of a child's earlier warnings. */
const WARNING_CHARACTERS = 4_000;
/** Characters kept of each child before the newest. */
const EARLIER_CHARACTERS = 2_000;
/** Characters kept of all children together. */
const ALL_CHARACTERS = 16_000;
const CUT = "…";

const WARNING =
  /(\b(warn(ing)?s?|errs?|errors|fail(ed|s|ure)?|fatal|critical|traceback|panic(ked)?|denied|refused|timed out|timeout)|error|exception)\b/i;
const HEADER = /^── started (\S+) ──\n/m;

/** One child's stderr. */
export interface ChildLog {
  startedAt: Date;
  text: string;
}

/** Collects lines per child. */
export class LogTail {
  #children = new Map<number, { warnings: string[]; last: string[]; left: boolean }>();

  add(line: string, startedAt: Date): void {
    const at = startedAt.getTime();
    const child = this.#children.get(at) ?? { warnings: [], last: [], left: false };
    this.#children.set(at, child);
    child.last.push(line.slice(0, LAST_CHARACTERS));
    while (sizeOf(child.last) > LAST_CHARACTERS) {
      const old = child.last.shift()!;
      if (WARNING.test(old)) child.warnings.push(old);
      child.left ||= !WARNING.test(old);
    }
    while (sizeOf(child.warnings) > WARNING_CHARACTERS) {
      child.warnings.shift();
      child.left = true;
    }
  }

  /** Returns all kept logs, and keeps only the newest child's. Null if no line ever came. */
  take(): ChildLog[] | null {
    if (this.#children.size === 0) return null;
    const logs = [...this.#children].map(([at, { warnings, last, left }]) => ({
      startedAt: new Date(at),
      text: [...warnings, ...(left ? [CUT] : []), ...last].join("\n"),
    }));
    const newest = Math.max(...this.#children.keys());
    for (const at of this.#children.keys()) if (at !== newest) this.#children.delete(at);
    return logs;
  }
}

/** Returns the stored text with the logs of these children replaced or added. */
export function withLogs(stored: string | null, logs: ChildLog[]): string {
  const all = new Map(sectionsOf(stored ?? "").map((log) => [log.startedAt.getTime(), log.text]));
  for (const { startedAt, text } of logs) all.set(startedAt.getTime(), text.replaceAll("\n── ", "\n ── "));
  const sections = [...all].sort(([a], [b]) => b - a);
  let room = ALL_CHARACTERS;
  const kept: string[] = [];
  for (const [index, [at, text]] of sections.entries()) {
    const body = index === 0 ? text : lastOf(text, EARLIER_CHARACTERS);
    const section = `── started ${new Date(at).toISOString()} ──\n${body}`;
    if (section.length > room) break;
    room -= section.length + 1;
    kept.unshift(section);
  }
  return kept.join("\n");
}

/** Returns the text's last whole lines, preceded by earlier warnings. */
function lastOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const lines = text.split("\n");
  let from = lines.length;
  let size = 0;
  while (from > 0 && size + lines[from - 1]!.length + 1 <= most / 2) size += lines[--from]!.length + 1;
  const warnings = lines.slice(0, from).filter((line) => WARNING.test(line));
  while (warnings.length > 0 && sizeOf(warnings) > most / 2) warnings.shift();
  return [...warnings, CUT, ...lines.slice(from)].join("\n");
}

function sectionsOf(stored: string): ChildLog[] {
  const [before, ...rest] = stored.split(HEADER);
  const sections: ChildLog[] = [];
  // Logs of older versions, which did not distinguish children.
  if (before?.trim()) sections.push({ startedAt: new Date(0), text: before.trimEnd() });
  for (let at = 0; at + 1 < rest.length; at += 2)
    sections.push({ startedAt: new Date(rest[at]!), text: rest[at + 1]!.replace(/\n$/, "") });
  return sections.filter(({ startedAt }) => !Number.isNaN(startedAt.getTime()));
}

function sizeOf(lines: string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
