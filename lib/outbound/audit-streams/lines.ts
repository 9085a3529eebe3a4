/** The lines of an audit stream, as each destination gets them. Pure. */
import type { ExportedEvent, StreamedEvent, StreamNote } from "../../history/events/event-schema.ts";

/** A line to send: its text, and what a syslog header says of it. */
export interface Line {
  text: string;
  /** The MSGID of syslog. */
  kind: "event" | StreamNote["kind"];
  at: string;
}

/** Converts lines of the history. `previousHash` is the hash (hex) of the line before the first one. */
export function eventLines(organizationId: string, events: ExportedEvent[], previousHash: string): Line[] {
  let before = previousHash;
  return events.map((event) => {
    const line: StreamedEvent = { ...event, organizationId, previousHash: before };
    before = event.hash;
    return { text: JSON.stringify(line), kind: "event", at: event.at };
  });
}

export function noteLine(note: StreamNote): Line {
  return { text: JSON.stringify(note), kind: note.kind, at: note.at };
}

/** NDJSON, as webhooks and buckets get it. */
export function ndjson(lines: Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join("");
}

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6;

/** Syslog messages (RFC 5424), each framed by its length in bytes (RFC 5425). `host`: Intray's own name. */
export function syslogFrames(lines: Line[], host: string): Buffer {
  const name = /^[\x21-\x7e]{1,255}$/.test(host) ? host : "-";
  return Buffer.concat(
    lines.map(({ text, kind, at }) => {
      const message = Buffer.from(`<${PRIORITY}>1 ${at} ${name} intray - ${kind} - ${text}`);
      return Buffer.concat([Buffer.from(`${message.length} `), message]);
    }),
  );
}
