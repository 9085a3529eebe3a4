/** API clients that start tasks and answer each question as soon as a hint arrives. */
import { clock } from "../child.ts";

/** The times of one task's events, by the clock of this machine, in ms. */
export interface Trace {
  asked?: number;
  shown?: number;
  answered?: number;
  /** A hint of the request was read from a stream. */
  seen?: number;
  /** The API has accepted the answer. */
  taken?: number;
}

type Api = ReturnType<typeof apiOf>;

export function apiOf(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: ids are taken out of answers of any shape
  return async (key: string, method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
}

/** Answers each question as soon as a hint arrives; `begin` takes ownership of the running calls. */
export function answerAll(
  url: string,
  api: Api,
  key: string,
  traceOf: (note: string) => Trace,
  begin: (call: Promise<unknown>) => void,
): AbortController {
  const stop = new AbortController();
  const known = new Set<string>();
  const answer = async (id: string, seenAt: number) => {
    const request = await api(key, "GET", `/input-requests/${id}`);
    const trace = traceOf(request.message);
    trace.seen ??= seenAt;
    if (request.state !== "open") return;
    const body = {
      action: "accept",
      content: { approve: true },
      questionHash: request.questionHash,
      holdMs: 0,
    };
    await api(key, "POST", `/input-requests/${id}/answer`, body);
    trace.taken = clock();
  };
  void (async () => {
    const response = await fetch(`${url}/api/v1/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal: stop.signal,
    });
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const at = clock();
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const hint = line.startsWith("data: ") ? JSON.parse(line.slice(6)) : null;
        if (hint?.topic !== "input_request" || known.has(hint.id)) continue;
        known.add(hint.id);
        begin(answer(hint.id, at));
      }
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return stop;
}
