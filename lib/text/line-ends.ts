/** The line ends of Windows (CRLF), of texts that people read and write with plain ones (LF). Pure. */

/** Whether some line of these texts ends as on Windows, and none otherwise. */
export function haveWindowsEnds(texts: string[]): boolean {
  return texts.some((text) => text.includes("\r\n")) && texts.every((text) => !/(?<!\r)\n/.test(text));
}

export const withPlainEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/**
 * What a person made of a text in a textarea, which knows plain line ends alone. Each line that stays keeps its end; a new one ends as
 * the line before it.
 */
export function writtenOver(before: string, written: string): string {
  const ends = before.match(/\r\n?|\n/g) ?? [];
  const [was, is] = [before, written].map((text) => text.replace(/\r\n?/g, "\n")) as [string, string];
  const shorter = Math.min(was.length, is.length);
  let begin = 0;
  while (begin < shorter && was[begin] === is[begin]) begin++;
  let end = 0;
  while (end < shorter - begin && was.at(-1 - end) === is.at(-1 - end)) end++;
  const kept = linesIn(was.slice(0, begin));
  const keptBehind = linesIn(was.slice(was.length - end));
  const lineEnd = ends[kept - 1] ?? ends[kept] ?? "\n";
  const all = [
    ...ends.slice(0, kept),
    ...Array.from({ length: linesIn(is.slice(begin, is.length - end)) }, () => lineEnd),
    ...ends.slice(ends.length - keptBehind),
  ];
  let line = 0;
  return is.replace(/\n/g, () => all[line++]!);
}

const linesIn = (text: string) => text.split("\n").length - 1;
