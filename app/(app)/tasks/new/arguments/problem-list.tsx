"use client";

import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { pathInWords } from "./field-id.ts";
import type { Problem } from "./judge-arguments.ts";

/** Why no task was started, with a link to each invalid field. */
export function ProblemList({
  sentence,
  problems,
  onShow,
}: {
  sentence: string | null;
  problems: Problem[];
  onShow: (problem: Problem) => void;
}) {
  if (sentence === null && problems.length === 0) return null;
  return (
    <Notice live tone="bad" title={sentence ?? "The tool does not take these arguments."}>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.path.join("/")} ${problem.message}`}>
            <Button variant="link" size="sm" className="px-0 text-left" onClick={() => onShow(problem)}>
              {pathInWords(problem.path) || "Arguments"}
            </Button>{" "}
            {problem.message}
          </li>
        ))}
      </ul>
      <p>No task was started.</p>
    </Notice>
  );
}
