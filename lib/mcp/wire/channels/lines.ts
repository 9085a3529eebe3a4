const NEWLINE = 10;

/**
 * Splits bytes into lines of UTF-8, without line ends. Drops the part of a line beyond `cap` bytes, and calls
 * `onTooLong` once as soon as the limit is exceeded. Returns a function that takes the bytes.
 */
export function lineSplitter(
  cap: number,
  onLine: (line: string) => void,
  onTooLong: () => void = () => {},
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer) => {
    const room = cap - Math.min(size, cap);
    if (part.length > room && size <= cap) onTooLong();
    size += part.length;
    if (room > 0 && part.length > 0) parts.push(part.subarray(0, room));
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      const line = String(Buffer.concat(parts)).trimEnd();
      parts = [];
      size = 0;
      from = end + 1;
      if (line !== "") onLine(line);
    }
    keep(chunk.subarray(from));
  };
}
