/** What a typed value has to be. Formats with `fits` have one definition for browser and server. Pure and client-safe. */

interface Format {
  /** As in "The id must be …". */
  words: string;
  /** Missing if browser and server check this format differently. */
  fits?: (text: string) => boolean;
}

/** The formats of JSON Schema that are checked. Any other says how a text is meant, and is shown beside the field. */
export const FORMATS = new Map<string, Format>([
  ["email", { words: "an e-mail address" }],
  ["uri", { words: "a full address such as https://example.com" }],
  ["date", { words: "a date that exists, such as 2026-02-28" }],
  ["date-time", { words: "a date and time with its zone, such as 2026-02-28T09:30:00Z" }],
  [
    "time",
    {
      words: "a time with its zone, such as 09:30:00Z",
      fits: (text) => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i.test(text),
    },
  ],
  [
    "duration",
    {
      words: "a duration such as PT2H30M or P1D",
      fits: (text) => /^P(\d+W|(?=[\dT])(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/.test(text),
    },
  ],
  [
    "uuid",
    {
      words: "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
      fits: (text) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
    },
  ],
  ["ipv4", { words: "an IPv4 address such as 192.0.2.1", fits: isIpv4 }],
  [
    "ipv6",
    {
      words: "an IPv6 address such as 2001:db8::1",
      fits: (text) => /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`),
    },
  ],
  ["hostname", { words: "a host name such as www.example.com", fits: isHostName }],
]);

const TYPES: Record<string, string> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "yes or no",
  array: "a list",
  object: "a group of fields",
  null: "empty",
};

/** Returns types of JSON Schema in words: `text or a number`. */
export function typesInWords(types: unknown[]): string {
  return types
    .map(String)
    .map((type) => (Object.hasOwn(TYPES, type) && TYPES[type]) || type)
    .join(" or ");
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  const isLabel = (label: string) => /^[a-z0-9-]{1,63}$/i.test(label) && !/^-|-$/.test(label);
  return text.length <= 253 && labels.every(isLabel);
}

/** Whether a number is a whole number of steps, of the decimals as written: 0.3 is three times 0.1. */
export function isMultipleOf(value: number, step: number): boolean {
  const [of, by] = [decimal(value), decimal(step)];
  const exponent = Math.min(of.exponent, by.exponent);
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent);
  return scaled(of) % scaled(by) === 0n;
}

interface Decimal {
  digits: bigint;
  /** The power of ten. */
  exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
