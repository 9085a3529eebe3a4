import { detached } from "../../base/process/detached.ts";
import { EVENT_ID_CHARACTERS } from "../limits.ts";

/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** The event's name. Missing for `message`, which also stands for events without a name. */
  name?: string;
  data: string;
  /** The event's own id, or null if it has none. */
  id: string | null;
  /** The wait before reopening the stream, in ms, if the event sets one. */
  retryMs?: number;
}

/**
 * An incremental parser of server-sent events (HTML standard, 9.2.6): takes bytes, emits whole events.
 * Accepts CR, LF and CRLF, comments, several data lines and a byte order mark. Chunks may split anywhere,
 * even inside characters.
 */
export class SseParser {
  private readonly decoder = new TextDecoder();
  private readonly onEvent: (event: SseEvent) => void;
  private line = "";
  private name = "";
  private data: string | null = null;
  private id: string | null = null;
  private retryMs: number | undefined;
  private endedOnCr = false;

  constructor(onEvent: (event: SseEvent) => void) {
    this.onEvent = onEvent;
  }

  /** Returns how many characters are kept of the incomplete event. */
  get held(): number {
    return this.line.length + (this.data?.length ?? 0);
  }

  push(chunk: Uint8Array): void {
    const text = this.decoder.decode(chunk, { stream: true });
    let from = 0;
    // A CR at the end of a chunk already ended its line, so a following LF belongs to that line end.
    if (this.endedOnCr && text.length > 0) {
      this.endedOnCr = false;
      if (text[0] === "\n") from = 1;
    }
    for (let end = lineEnd(text, from); end !== -1; end = lineEnd(text, from)) {
      this.take(this.line + text.slice(from, end));
      this.line = "";
      from = end + 1;
      if (text[end] === "\r") {
        if (from === text.length) this.endedOnCr = true;
        else if (text[from] === "\n") from++;
      }
    }
    this.line += text.slice(from);
  }

  /**
   * To be called when the stream has ended. Returns the data of a last event without its blank line, or null if there
   * is none.
   */
  end(): string | null {
    if (this.line !== "") this.take(this.line);
    return this.data;
  }

  private take(line: string): void {
    if (line === "") {
      this.dispatch();
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.data = this.data === null ? value : `${this.data}\n${value}`;
    else if (field === "event") this.name = value;
    // Every server would refuse a longer id in a header, and Intray stores the id with each task.
    else if (field === "id" && !value.includes("\0") && value.length <= EVENT_ID_CHARACTERS)
      this.id = detached(value);
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  private dispatch(): void {
    const { name, data, id, retryMs } = this;
    this.name = "";
    this.data = null;
    this.id = null;
    this.retryMs = undefined;
    // An id without data is a priming event: the position from which to resume the stream.
    if (data !== null || id !== null || retryMs !== undefined)
      this.onEvent({
        data: data ?? "",
        id,
        ...(retryMs !== undefined && { retryMs }),
        ...(name !== "" && name !== "message" && { name }),
      });
  }
}

const LINE_END = /[\r\n]/g;

function lineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from;
  return LINE_END.exec(text)?.index ?? -1;
}
