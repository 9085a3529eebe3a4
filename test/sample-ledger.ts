/** The sample invoice server's own little interface: what it was told and paid, and paying before the due date. */

export interface LedgerLine {
  taskId: string;
  kind: string;
  data: Record<string, unknown>;
}

/** All lines, or those of one of its tasks. */
export async function readLedger(serverUrl: string, taskId?: string): Promise<LedgerLine[]> {
  const response = await fetch(`${serverUrl}/ledger${taskId ? `?taskId=${encodeURIComponent(taskId)}` : ""}`);
  return ((await response.json()) as { entries: LedgerLine[] }).entries;
}

export async function forcePay(serverUrl: string, invoiceId: string): Promise<void> {
  const response = await fetch(`${serverUrl}/force-pay`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ invoiceId }),
  });
  if (!response.ok) throw new Error(`force-pay of ${invoiceId}: ${response.status} ${await response.text()}`);
}
