import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";

/** Buttons that add a rule to start from. */
export function ExampleButtons<T extends { name: string }>({
  of,
  examples,
  onTake,
}: {
  of: string;
  examples: T[];
  onTake: (example: T) => void;
}) {
  if (examples.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend of its own
    <div role="group" aria-label={of} className="flex flex-wrap items-center gap-1.5">
      <span className="text-[13px] text-muted">Start from</span>
      {examples.map((example) => (
        <Button key={example.name} size="sm" onClick={() => onTake(example)}>
          <Plus aria-hidden strokeWidth={1.75} />
          {example.name}
        </Button>
      ))}
    </div>
  );
}
