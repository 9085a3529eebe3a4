const CHANNEL = "intray:left";

/** Leads this tab and the browser's others to `path`, by a full load: what they show is over. */
export function leadAll(path: string): void {
  new BroadcastChannel(CHANNEL).postMessage(path);
  window.location.assign(path);
}

/** Follows when another tab leads all of them somewhere. Returns how to stop. */
export function followOthers(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<string>) => window.location.assign(data);
  return () => channel.close();
}
