export const serverKeys = {
  all: ["servers"] as const,
  list: ["servers", "list"] as const,
  server: (id: string) => ["servers", "server", id] as const,
};
