const CHANNEL = "intray:left";

/** Loads `path` in this tab and in the browser's other tabs, because their pages are outdated. */
export function leadAll(path: string): void {
  new BroadcastChannel(CHANNEL).postMessage(path);
  window.location.assign(path);
}

/** Follows `leadAll` of another tab. Returns a function that stops. */
export function followOthers(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string>) => window.location.assign(data);
  return () => channel.close();
}
