/** Returns words such as `Firefox on Linux` for a user agent, so that people recognize their browsers. */
export function browserWords(userAgent: string | null): string {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  if (!browser && !system) return "Unknown browser";
  return `${browser ?? "A browser"}${system ? ` on ${system}` : ""}`;
}

export function isPhone(userAgent: string | null): boolean {
  const names = (name: string) => userAgent?.includes(name) ?? false;
  return names("iPhone") || (names("Mobile") && (names("Android") || names("Firefox")));
}

// The first match wins, since most user agents also name other browsers.
const BROWSERS: [string, RegExp][] = [
  ["Edge", /\bEdg(A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: [string, RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];
