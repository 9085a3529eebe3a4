/** Intray as an operator runs it, under test: by compose, or by hand. */
export interface Arrangement {
  url: string;
  /** Where Intray reaches a port of this machine. */
  reach(port: number): Promise<string>;
  /** The command line, in the same surroundings; resolves to what it printed. */
  command(...args: string[]): Promise<string>;
  /** kill -9 of the process; whoever watches over it starts it again. */
  kill(part: "engine" | "web"): Promise<void>;
  /** SIGTERM to web and engines; what each ended with, and how long it took. */
  drain(): Promise<{ part: string; code: number; seconds: number }[]>;
  close(): Promise<void>;
}
