/** The line ends of Windows (CRLF), of texts that people read and write with plain ones (LF). Pure. */

/** Whether some line of these texts ends as on Windows, and none otherwise. */
export function haveWindowsEnds(texts: string[]): boolean {
  return texts.some((text) => text.includes("\r\n")) && texts.every((text) => !/(?<!\r)\n/.test(text));
}

export const withPlainEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** What a person made of a text in a textarea, which knows plain line ends alone. Windows line ends stay. */
export function writtenOver(before: string, written: string): string {
  const plain = withPlainEnds(written);
  return haveWindowsEnds([before]) ? plain.replaceAll("\n", "\r\n") : written;
}
