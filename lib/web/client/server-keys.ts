export const serverKeys = {
  all: ["servers"] as const,
  list: ["servers", "list"] as const,
  allowedHosts: ["allowed-hosts"] as const,
  server: (id: string) => ["servers", "server", id] as const,
};
