import { Copy } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { copyText } from "@/components/ui/toast/toast.ts";

export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <Button
      size="icon"
      variant="ghost"
      className="-my-1.5 -mr-2"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => copyText(text, "Copied")}
    >
      <Copy aria-hidden strokeWidth={1.75} />
    </Button>
  );
}
