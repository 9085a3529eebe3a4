/** One line per event on stderr. INVOICE_LOG: debug, info (default), error or silent. */
const levels = ["debug", "info", "error", "silent"] as const;
type Level = (typeof levels)[number];

const threshold = Math.max(
  0,
  levels.findIndex((level) => level === (process.env.INVOICE_LOG || "info")),
);

export const log = {
  debug: (message: string, cause?: unknown) => write("debug", message, cause),
  info: (message: string, cause?: unknown) => write("info", message, cause),
  error: (message: string, cause?: unknown) => write("error", message, cause),
};

function write(level: Level, message: string, cause: unknown): void {
  if (levels.indexOf(level) < threshold) return;
  const because =
    cause instanceof Error ? `: ${cause.stack ?? cause.message}` : cause ? `: ${String(cause)}` : "";
  process.stderr.write(`${new Date().toISOString()} invoice-server ${level} ${message}${because}\n`);
}
