import { crc32, deflateSync } from "node:zlib";

/** A receipt as a picture: lines of capitals and figures in a font of 5 by 7 points. Needs no library. */

const SCALE = 3;
const MARGIN = 8;
const LINE = 11;
const LETTER = 6;

export function pngOf(lines: string[]): Buffer {
  const letters = Math.max(...lines.map((line) => line.length));
  const width = (letters * LETTER + 2 * MARGIN) * SCALE;
  const height = (lines.length * LINE + 2 * MARGIN) * SCALE;
  // A row is a byte for its filter (none), and a byte of grey for each point.
  const rows = Buffer.alloc((width + 1) * height, 0xf7);
  for (let y = 0; y < height; y++) rows[y * (width + 1)] = 0;
  lines.forEach((line, row) => {
    [...line.toUpperCase()].forEach((letter, column) => {
      const x = MARGIN + column * LETTER;
      const y = MARGIN + row * LINE;
      for (const [dx, dy] of pointsOf(letter)) draw(rows, width, x + dx, y + dy);
    });
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits of a point, which is grey (0)
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function draw(rows: Buffer, width: number, x: number, y: number): void {
  for (let row = 0; row < SCALE; row++) {
    const at = (y * SCALE + row) * (width + 1) + 1 + x * SCALE;
    rows.fill(0x2b, at, at + SCALE);
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** A letter is five columns of seven points each, the lowest bit on top. */
const FONT: Record<string, string> = {
  "0": "3e5149453e",
  "1": "00427f4000",
  "2": "4261514946",
  "3": "2141454b31",
  "4": "1814127f10",
  "5": "2745454539",
  "6": "3c4a494930",
  "7": "0171090503",
  "8": "3649494936",
  "9": "064949291e",
  A: "7e1111117e",
  B: "7f49494936",
  C: "3e41414122",
  D: "7f4141221c",
  E: "7f49494941",
  F: "7f09090901",
  G: "3e4149497a",
  H: "7f0808087f",
  I: "00417f4100",
  J: "2040413f01",
  K: "7f08142241",
  L: "7f40404040",
  M: "7f020c027f",
  N: "7f0408107f",
  O: "3e4141413e",
  P: "7f09090906",
  Q: "3e4151215e",
  R: "7f09192946",
  S: "4649494931",
  T: "01017f0101",
  U: "3f4040403f",
  V: "1f2040201f",
  W: "3f4038403f",
  X: "6314081463",
  Y: "0708700807",
  Z: "6151494543",
  $: "242a7f2a12",
  ",": "0050300000",
  "-": "0808080808",
  ".": "0060600000",
  "/": "2010080402",
  ":": "0036360000",
};

function pointsOf(letter: string): [x: number, y: number][] {
  const columns = Buffer.from(FONT[letter] ?? "", "hex");
  return [...columns].flatMap((column, x) =>
    Array.from({ length: 7 }, (_, y) => y)
      .filter((y) => (column >> y) & 1)
      .map((y): [number, number] => [x, y]),
  );
}
