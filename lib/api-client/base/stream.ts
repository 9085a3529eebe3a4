/** `open`: (re)connected; changes may have been missed. `lost`: no connection at the moment. */
export type StreamNews = { kind: "open" } | { kind: "lost" } | { kind: "change"; topic: string; id: string };

/** Short breaks are normal, since the server ends streams now and then; only a longer break is reported. */
const LOST_AFTER_MS = 4_000;
const RECONNECT_MS = 5_000;

/**
 * Opens one event stream for all tabs of a browser, since six streams would use up the connections of
 * HTTP/1.1. The tab that holds the lock reads the stream and tells the others; when it closes, another takes
 * over. `scope`: the person and the organization, so that two sign-ins never share.
 */
export function openStream(scope: string, listener: (news: StreamNews) => void): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(`intray:${scope}`);
  channel.onmessage = (message: MessageEvent<StreamNews>) => listener(message.data);
  const tell = (news: StreamNews) => {
    if (stop.signal.aborted) return;
    listener(news);
    channel.postMessage(news);
  };
  // Web Locks need a secure context. Without them every visible tab reads its own stream.
  if (navigator.locks) {
    navigator.locks
      .request(`intray:${scope}`, { signal: stop.signal }, () => read(tell, stop.signal))
      .catch(() => undefined);
  } else {
    void read(listener, stop.signal);
  }
  return () => {
    stop.abort();
    channel.close();
  };
}

function read(tell: (news: StreamNews) => void, signal: AbortSignal): Promise<void> {
  // The lock may be granted at the moment when its page gives up on it.
  if (signal.aborted) return Promise.resolve();
  let source: EventSource;
  let lost: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const connect = () => {
    source = new EventSource("/api/v1/stream");
    source.onopen = () => {
      clearTimeout(lost);
      lost = undefined;
      tell({ kind: "open" });
    };
    source.onerror = () => {
      lost ??= setTimeout(() => tell({ kind: "lost" }), LOST_AFTER_MS);
      // The browser retries a broken stream by itself, but gives up on a refused one.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, RECONNECT_MS);
    };
    source.addEventListener("change", (event: MessageEvent<string>) => {
      const data = JSON.parse(event.data) as { topic: string; id: string };
      tell({ kind: "change", topic: data.topic, id: data.id });
    });
  };
  connect();

  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      clearTimeout(lost);
      clearTimeout(again);
      source.close();
      resolve();
    });
  });
}
