/** A process under Node's inspector: its heap after a collection, and CPU profiles. */
export interface Inspector {
  /** Collects garbage, then returns bytes. */
  memory(): Promise<{ heapUsed: number; external: number; rss: number }>;
  /** Profiles the CPU while `work` runs; returns a `.cpuprofile`. */
  profile(work: () => Promise<void>): Promise<string>;
}

export async function inspect(url: string): Promise<Inspector> {
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("The inspector can't be reached"));
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  };
  const call = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve as (result: unknown) => void);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async memory() {
      await call("HeapProfiler.collectGarbage");
      const expression = "JSON.stringify(process.memoryUsage())";
      const { result } = await call<{ result: { value: string } }>("Runtime.evaluate", { expression });
      return JSON.parse(result.value);
    },
    async profile(work) {
      await call("Profiler.enable");
      await call("Profiler.setSamplingInterval", { interval: 500 });
      await call("Profiler.start");
      await work();
      const { profile } = await call<{ profile: unknown }>("Profiler.stop");
      return JSON.stringify(profile);
    },
  };
}
