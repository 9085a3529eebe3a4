/** A page of a PDF, written by hand: a title, rows of two columns, and a total. Needs no library. */
export type Page = { title: string; lead: string; rows: [left: string, right: string][]; total: string };

const LEFT = 56;
const RIGHT = 540;
const TOP = 760;
const STEP = 22;
/** Rows that fit on the one page; more are summed up in a line. */
const MOST_ROWS = 24;
/** Of Courier, whose letters are all as wide: in em. */
const LETTER = 0.6;

export function pdfOf({ title, lead, rows, total }: Page): Buffer {
  const shown: Page["rows"] =
    rows.length <= MOST_ROWS
      ? rows
      : [...rows.slice(0, MOST_ROWS), [`and ${rows.length - MOST_ROWS} more`, ""]];
  const lines = [
    text("F2", 20, LEFT, TOP, title),
    text("F1", 11, LEFT, TOP - 26, lead),
    ...shown.flatMap(([left, right], at) => {
      const y = TOP - 70 - at * STEP;
      return [text("F1", 11, LEFT, y, left.slice(0, 55)), text("F1", 11, fromRight(right, 11), y, right)];
    }),
  ];
  const y = TOP - 70 - shown.length * STEP;
  lines.push(
    `0.6 w ${LEFT} ${y + 10} m ${RIGHT} ${y + 10} l S`,
    text("F2", 12, LEFT, y - 10, "Total"),
    text("F2", 12, fromRight(total, 12), y - 10, total),
  );
  const content = lines.join("\n");
  return documentOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> /Contents 6 0 R >>",
    font("Courier"),
    font("Courier-Bold"),
    `<< /Length ${Buffer.byteLength(content, "latin1")} >>\nstream\n${content}\nendstream`,
  ]);
}

const font = (name: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;

const fromRight = (words: string, size: number) => RIGHT - words.length * size * LETTER;

function text(name: string, size: number, x: number, y: number, words: string): string {
  const plain = words.replace(/[^\x20-\x7e\xa0-\xff]/g, "?").replace(/[\\()]/g, "\\$&");
  return `BT /${name} ${size} Tf ${x.toFixed(1)} ${y} Td (${plain}) Tj ET`;
}

/** Numbers the objects, and lists at which byte each begins. */
function documentOf(objects: string[]): Buffer {
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + end, "latin1");
}
