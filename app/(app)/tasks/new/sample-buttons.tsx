"use client";

import { FileText } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { withRecentDueDates } from "@/lib/text/sample-invoice.ts";

type Sample = Record<string, unknown> & Parameters<typeof withRecentDueDates>[0];

/** Whether the tool takes the whole invoice as one argument named `invoice`. */
export function isWrapped({ inputSchema }: { inputSchema: Record<string, unknown> }): boolean {
  const properties = (inputSchema.properties ?? {}) as Record<string, unknown>;
  return "invoice" in properties && !("invoice_id" in properties);
}

const SAMPLES = [
  { file: "/samples/invoice-acme.json", label: "Fill in the sample invoice" },
  { file: "/samples/invoice-large.json", label: "Fill in a larger one" },
];

/** The tool that the samples are for. */
export const SAMPLED_TOOL = "process_invoice";

/** Whether the samples fit this tool: a recipe of that name asks for other things. */
export function fitsSamples(tool: { name: string; inputSchema: Record<string, unknown> }): boolean {
  const properties = (tool.inputSchema.properties ?? {}) as Record<string, unknown>;
  return tool.name === SAMPLED_TOOL && ("lines" in properties || isWrapped(tool));
}

/** In the demo, fills in the form with one press. */
export function SampleButtons({
  wrapped,
  onFill,
}: {
  wrapped: boolean;
  onFill: (values: Record<string, unknown>) => void;
}) {
  const fill = async (file: string) => {
    const response = await fetch(file).catch(() => null);
    if (!response?.ok) return void toast.error("The sample could not be read. Try again.");
    const sample = withRecentDueDates((await response.json()) as Sample, Date.now());
    onFill(wrapped ? { invoice: sample } : sample);
  };
  return (
    <div className="flex flex-wrap gap-2">
      {SAMPLES.map((sample) => (
        <Button key={sample.file} size="sm" onClick={() => void fill(sample.file)}>
          <FileText aria-hidden strokeWidth={1.75} />
          {sample.label}
        </Button>
      ))}
    </div>
  );
}
